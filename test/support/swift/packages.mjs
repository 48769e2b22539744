// Debian's OpenStack Swift, unpacked into the cache of the user who runs the tests.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { debianRoot } from '../debian/packages.mjs';

const run = promisify(execFile);

/** Debian's modules need Debian's own Python, even if another one is first on PATH. */
export const PYTHON = '/usr/bin/python3';
const SWIFT = {
  title: 'OpenStack Swift',
  packages: ['swift-proxy', 'swift-account', 'swift-container', 'swift-object'],
  unused: /^(?:rsync|rsyslog|logrotate|uwsgi-.*|openstack-pkg-tools|po-debconf|intltool-debian|ieee-data)$/,
  area: 'storage',
};

/**
 * @returns the folder that serves as the root of a system with Swift; it is downloaded the first time
 * @throws Error whose message says why there is none
 */
export async function swiftRoot({ download = true } = {}) {
  if (!existsSync(PYTHON)) throw new Error(`${PYTHON} is not there, by which Debian's Swift comes`);
  const { stdout } = await run(PYTHON, ['-c', 'import platform; print(platform.python_version())']);
  return debianRoot({ ...SWIFT, folder: `swift-python-${stdout.trim()}` }, { download });
}
