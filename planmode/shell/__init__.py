"""Reads a shell line and says whether it surely changes nothing."""
