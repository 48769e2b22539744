// The senders of docs/senders whose program is a package of Debian.
import { join } from 'node:path';
import { debianRoot, libraryFolders } from '../debian/packages.mjs';

/** The programs by their name, with the packages that they come from and their path in them. */
const PROGRAMS = {
  'syslog-ng': { packages: ['syslog-ng-core', 'syslog-ng-mod-http'], path: 'usr/sbin/syslog-ng' },
  alertmanager: { packages: ['prometheus-alertmanager'], path: 'usr/bin/prometheus-alertmanager' },
};

/**
 * @param {string} name of `PROGRAMS`
 * @param {{ download?: boolean }} options `download`: whether to download the packages when the cache does not have them
 * @returns {Promise<{ path: string, root: string, libraries: string[] }>} the program, the folder that serves as the
 * root of its system, and the folders of its libraries
 */
export async function senderProgram(name, options) {
  if (!Object.hasOwn(PROGRAMS, name)) throw new Error(`no sender is called ${name}`);
  const { packages, path } = PROGRAMS[name];
  const root = await debianRoot({ title: name, folder: `${name}-${process.arch}`, packages, area: 'clients' }, options);
  return { path: join(root, path), root, libraries: libraryFolders(root) };
}
