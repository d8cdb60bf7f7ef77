from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0002_project_policies"),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="workspace_root",
            field=models.CharField(blank=True, max_length=1024),
        ),
        migrations.AddField(
            model_name="project",
            name="preset",
            field=models.CharField(blank=True, max_length=60),
        ),
        migrations.AddField(
            model_name="project",
            name="model",
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AddField(
            model_name="project",
            name="permission_mode",
            field=models.CharField(blank=True, max_length=20),
        ),
    ]
