"""How long a tried example may take: as long as it takes, since the machine may be busy."""

from hypothesis import HealthCheck, settings

AT_LEISURE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
