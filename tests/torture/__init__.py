"""What must not happen, tried for longer than the test run can: nothing lost, nothing doubled."""
