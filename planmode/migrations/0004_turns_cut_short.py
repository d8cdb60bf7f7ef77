from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("planmode", "0003_child_sessions"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(
                condition=models.Q(("state__in", ("failed", "stopped"))),
                fields=["ended_at"],
                name="turn_cut_short",
            ),
        ),
    ]
