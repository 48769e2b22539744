"""Swift with its S3 interface for the tests: all four servers in one process, on free ports of 127.0.0.1.

serve.py <folder> <access key> <secret key>; writes its address into the file "address" of the folder when it is ready.
"""
import logging
import os
import signal
import sys

home, access_key, secret_key = sys.argv[1:4]
SERVERS = ('account', 'container', 'object', 'proxy')

# Who is started in the background of a shell does not hear these by itself. There is nothing to be kept.
for number in (signal.SIGINT, signal.SIGQUIT):
    signal.signal(number, lambda *_: os._exit(0))

# Swift would write to the system's log.
logging.basicConfig(stream=sys.stderr, level=logging.WARNING)


def write(name, *lines):
    path = os.path.join(home, name)
    with open(path, 'w') as file:
        file.write('\n'.join(lines) + '\n')
    return path


swift_conf = write(
    'swift.conf',
    '[swift-hash]',
    'swift_hash_path_prefix = tests',
    'swift_hash_path_suffix = tests',
    '[storage-policy:0]',
    'name = one',
    'default = yes',
)

import swift.common.utils as utils

# Before anything else of Swift is loaded, which would read the one in /etc.
utils.SWIFT_CONF_FILE = swift_conf
utils.eventlet_monkey_patch()

import eventlet
import eventlet.hubs

use_hub = eventlet.hubs.use_hub


def use_one_hub(module=None):
    """Each server asks for a hub, and what the others wait for would be lost with the one before."""
    if getattr(eventlet.hubs._threadlocal, 'hub', None) is None:
        use_hub(module)


eventlet.hubs.use_hub = use_one_hub
use_hub(utils.get_hub())

from swift.common import wsgi
from swift.common.ring import RingBuilder

os.makedirs(os.path.join(home, 'srv', 'disk'), exist_ok=True)
sockets = {name: eventlet.listen(('127.0.0.1', 0)) for name in SERVERS}


def port_of(name):
    return sockets[name].getsockname()[1]


def write_ring(name):
    builder = RingBuilder(1, 1, 0)
    place = {'id': 0, 'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'device': 'disk', 'weight': 1.0}
    builder.add_dev({**place, 'port': port_of(name)})
    builder.rebalance()
    builder.get_ring().save(os.path.join(home, name + '.ring.gz'))


def write_conf(name, *filters):
    pipeline = [line[len('[filter:'):-1] for line in filters if line.startswith('[filter:')]
    return write(
        name + '.conf',
        '[DEFAULT]',
        'swift_dir = ' + home,
        'devices = ' + os.path.join(home, 'srv'),
        'mount_check = false',
        'disable_fallocate = true',
        'log_level = ERROR',
        '[pipeline:main]',
        'pipeline = ' + ' '.join([*pipeline, name + '-server']),
        '[app:%s-server]' % name,
        'use = egg:swift#' + name,
        'account_autocreate = true',
        *filters,
    )


for name in SERVERS[:3]:
    write_ring(name)
confs = {name: write_conf(name) for name in SERVERS[:3]}
confs['proxy'] = write_conf(
    'proxy',
    '[filter:catch_errors]',
    'use = egg:swift#catch_errors',
    '[filter:gatekeeper]',
    'use = egg:swift#gatekeeper',
    # It has to be there. Nobody listens, so nothing is ever found in it.
    '[filter:cache]',
    'use = egg:swift#memcache',
    'memcache_servers = 127.0.0.1:1',
    '[filter:s3api]',
    'use = egg:swift#s3api',
    'location = us-east-1',
    '[filter:tempauth]',
    'use = egg:swift#tempauth',
    'user_%s = %s .admin' % (access_key.replace(':', '_'), secret_key),
    '[filter:bulk]',
    'use = egg:swift#bulk',
    '[filter:slo]',
    'use = egg:swift#slo',
)


def serve(name):
    _, conf, logger, _ = wsgi.init_request_processor(confs[name], name + '-server')
    conf['__file__'] = confs[name]
    wsgi.run_server(conf, logger, sockets[name])


servers = [eventlet.spawn(serve, name) for name in SERVERS]
os.rename(write('address.draft', 'http://127.0.0.1:%d' % port_of('proxy')), os.path.join(home, 'address'))
for server in servers:
    server.wait()
