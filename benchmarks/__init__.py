"""Measurements that anybody can repeat, each beside its floor."""
