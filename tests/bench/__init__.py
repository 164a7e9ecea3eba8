"""How fast it is: measured, and not part of the test run."""
