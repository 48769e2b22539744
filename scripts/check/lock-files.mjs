// Packages come from the registry that is configured where they are installed. No lock file may name one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = ['.', 'tools'];

/** @returns {string[]} a sentence for each fault, which begins with the file to edit */
export function faultsOfLockFiles(root) {
  const read = (...path) => readFileSync(join(root, ...path), 'utf8');
  return [
    ...FOLDERS.flatMap((folder) => [
      ...addressesIn(JSON.parse(read(folder, 'package-lock.json')), join(folder, 'package-lock.json')),
      ...faultsOfSettings(read(folder, '.npmrc'), join(folder, '.npmrc')),
    ]),
    ...faultsOfVersions(FOLDERS.map((folder) => JSON.parse(read(folder, 'package-lock.json')))),
  ];
}

function addressesIn(value, path) {
  if (typeof value === 'string') {
    return /\bregistry[\w-]*\.[\w.-]+\.[a-z]{2,}/i.test(value) ? [`${path} names a registry.`] : [];
  }
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const where = `${path}/${key}`;
    // A package of this same repository is "resolved" to its folder.
    const isAddress = key === 'resolved' && !(value.link === true && !/^[a-z+]+:/i.test(inner));
    return isAddress ? [`${where} is an address.`] : addressesIn(inner, where);
  });
}

function faultsOfSettings(settings, path) {
  const faults = [];
  if (!/^omit-lockfile-registry-resolved\s*=\s*true$/m.test(settings)) {
    faults.push(`${path} lacks omit-lockfile-registry-resolved=true: the next installation would write addresses.`);
  }
  if (/^\s*(@[^=]*:)?registry\s*=/m.test(settings)) faults.push(`${path} names a registry.`);
  return faults;
}

/** Lint must read the same language as the compiler. */
function faultsOfVersions(lockFiles) {
  const [ours, ofTools] = lockFiles.map(({ packages }) => packages['node_modules/typescript']?.version);
  return ours === ofTools
    ? []
    : [
        `tools/package.json: typescript must be ${ours}, as in package.json, but tools/package-lock.json has ${ofTools}.`,
      ];
}
