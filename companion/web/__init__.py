"""The pages: parse what was sent, call a service, render the answer."""
