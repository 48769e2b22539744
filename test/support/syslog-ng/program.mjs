// Debian's syslog-ng, unpacked into the cache of the user who runs the tests. Its installation would replace the logger
// of the machine.
import { join } from 'node:path';
import { debianRoot, libraryFolders } from '../debian/packages.mjs';

const SYSLOG_NG = { title: 'syslog-ng', packages: ['syslog-ng-core', 'syslog-ng-mod-http'], area: 'clients' };

/**
 * @param {{ download?: boolean }} options `download`: whether to download the packages when the cache does not have them
 * @returns {Promise<{ path: string, modules: string, libraries: string[] }>} the program, the folder of its modules, and
 * the folders of its libraries
 */
export async function syslogNg(options) {
  const root = await debianRoot({ ...SYSLOG_NG, folder: `syslog-ng-${process.arch}` }, options);
  return {
    path: join(root, 'usr/sbin/syslog-ng'),
    modules: join(root, 'usr/lib/syslog-ng/3.38'),
    libraries: [join(root, 'usr/lib/syslog-ng'), ...libraryFolders(root)],
  };
}
