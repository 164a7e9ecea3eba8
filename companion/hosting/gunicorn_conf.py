"""Settings for gunicorn: `gunicorn --config companion/hosting/gunicorn_conf.py`.

Processes can write at the same time only on PostgreSQL; with SQLite they take turns.
"""

import os

wsgi_app = "companion.web.app:create_app()"
bind = os.environ.get("COMPANION_BIND", "").strip() or "127.0.0.1:8000"
# With none, gunicorn takes connections and never answers.
workers = max(1, int(os.environ.get("WEB_CONCURRENCY", "2")))
worker_class = "gthread"
threads = 8
# Watching phones poll every two seconds, over a connection that stays open.
keepalive = 30
# Seconds until a silent worker is killed. A worker may have to migrate the database first.
timeout = 120
limit_request_fields = 60
# COMPANION_TRUST_PROXY decides whether to trust a proxy. gunicorn's default trusts this machine.
forwarded_allow_ips = ""
# gunicorn would log addresses with keys in them. COMPANION_LOG=json logs requests without keys.
accesslog = None
# Its socket would be in the home directory, which a service's user may not have.
control_socket_disable = True
