"""What the templates of the desk say."""
