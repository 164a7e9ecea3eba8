"""How gunicorn serves the companion: `gunicorn --config companion/hosting/gunicorn_conf.py`.

Several processes need PostgreSQL to write at the same time; with SQLite they take turns.
"""

import os

wsgi_app = "companion.web.app:create_app()"
bind = os.environ.get("COMPANION_BIND", "127.0.0.1:8000")
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
worker_class = "gthread"
threads = 8
# Phones that watch ask every two seconds, over a connection that stays open.
keepalive = 30
# Of a worker that does not stir. A start may have a database to bring up to date first.
timeout = 120
graceful_timeout = 30
limit_request_line = 4094
limit_request_fields = 60
limit_request_field_size = 8190
# What a proxy says is for the application to believe or not (COMPANION_TRUST_PROXY). Without this,
# gunicorn would believe whoever comes from this machine.
forwarded_allow_ips = ""
# It would name the addresses, and with them the keys. COMPANION_LOG=json logs requests without.
accesslog = None
