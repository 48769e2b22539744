import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT } from './docker-files.js';

const run = promisify(execFile);
const DIGEST = `sha256:${'a'.repeat(64)}`;
const REVISION = 'b'.repeat(40);

/** Docker and Git are stand-ins, which write down how they are called: a registry and a daemon are not on every machine. */
let folder: string;
let output: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oes-release-'));
  output = join(folder, 'release');
  await mkdir(join(folder, 'bin'));
  await program(
    'docker',
    `echo "$*" >> "${join(folder, 'docker.log')}"
    case "$*" in
      *imagetools*) echo "$BASE_DIGEST" ;;
      *version*) echo "buildx 1.0" ;;
      *) while [ "$1" != --metadata-file ]; do shift; done; echo '{"containerimage.digest":"${DIGEST}"}' > "$2" ;;
    esac`,
  );
  await program(
    'git',
    `case "$1" in status) printf '%s' "$CHANGES" ;; rev-parse) echo ${REVISION} ;; *) exit 1 ;; esac`,
  );
});
afterAll(() => rm(folder, { recursive: true }));

async function program(name: string, script: string): Promise<void> {
  const path = join(folder, 'bin', name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

function release(
  words: readonly string[],
  { to = output, ...env }: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const path = [join(folder, 'bin'), process.env.PATH].join(delimiter);
  return run(process.execPath, [join(ROOT, 'scripts/release.mjs'), ...words, '--output', to], {
    env: { ...process.env, PATH: path, BASE_DIGEST: DIGEST, CHANGES: '', ...env },
  });
}

async function readJson<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(join(output, name), 'utf8')) as T;
}

interface Bill {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly { readonly 'bom-ref': string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

describe('the release script', () => {
  it.each([
    ['the registry gives no digest of the base', { BASE_DIGEST: '' }, 'has no digest'],
    ['a change is in no commit', { CHANGES: ' M src/main.ts' }, 'has changes that no commit has'],
  ])('builds nothing when %s', async (_, env, reason) => {
    await rm(join(folder, 'docker.log'), { force: true });
    await expect(release(['--image', 'registry.example.com/oes'], env)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(reason) as unknown,
    });
    const calls = await readFile(join(folder, 'docker.log'), 'utf8').catch(() => '');
    expect(calls).not.toContain('build --file');
  });

  it('refuses an output folder that has other files, and removes nothing there', async () => {
    const checkout = join(folder, 'checkout');
    await mkdir(checkout);
    const names = ['SHA256SUMS', 'package.json'];
    for (const name of names) await writeFile(join(checkout, name), 'kept');
    for (const words of [['--without-image'], ['--image', 'registry.example.com/oes']]) {
      await expect(release(words, { to: checkout })).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('has the file package.json') as unknown,
      });
    }
    expect((await readdir(checkout)).sort()).toEqual(names);
    await expect(release(['--without-image'], { to: join(checkout, 'package.json') })).rejects.toMatchObject({
      stderr: expect.stringContaining('is not a folder') as unknown,
    });
  });

  // One run for all: npm takes seconds to list the packages.
  it('pins the base, labels the image, replaces earlier files, and lists packages, origin and checksums', async () => {
    await mkdir(output);
    await writeFile(join(output, 'SHA256SUMS'), 'of an earlier release');
    await release(['--image', 'registry.example.com/oes']);
    const calls = await readFile(join(folder, 'docker.log'), 'utf8');
    expect(calls).toContain('--platform linux/amd64,linux/arm64');
    expect(calls).toContain(`--build-arg NODE_IMAGE=node:24-slim@${DIGEST}`);
    expect(calls).toContain(`--build-arg REVISION=${REVISION}`);

    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await readJson('provenance.json')).toMatchObject({
      image: `registry.example.com/oes:${version}@${DIGEST}`,
      base: `node:24-slim@${DIGEST}`,
      revision: REVISION,
    });

    const sums = (await readFile(join(output, 'SHA256SUMS'), 'utf8')).trim().split('\n');
    const files = ['image.json', 'provenance.json', 'sbom-build.cdx.json', 'sbom.cdx.json'];
    expect(sums.map((line) => line.split('  ')[1])).toEqual(files);
    for (const line of sums) {
      const [sum, name = ''] = line.split('  ');
      const content = await readFile(join(output, name));
      expect([name, sum]).toEqual([name, createHash('sha256').update(content).digest('hex')]);
    }

    const [ours, all] = [await readJson<Bill>('sbom.cdx.json'), await readJson<Bill>('sbom-build.cdx.json')];
    expect([ours.bomFormat, ours.metadata.component]).toEqual([
      'CycloneDX',
      expect.objectContaining({ name: 'operational-event-service', version }),
    ]);
    const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { name?: string; version: string; dev?: boolean }>;
    };
    const wanted = Object.entries(lock.packages)
      .filter(([path, { dev }]) => path !== '' && dev !== true)
      .map(([path, { name, version: own }]) => `${name ?? path.split('node_modules/').at(-1)}@${own}`);
    const listed = ours.components.map((component) => component['bom-ref']);
    expect(new Set(listed)).toEqual(new Set(wanted));
    const known = new Set([...listed, `operational-event-service@${version}`]);
    const referred = ours.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
    expect(referred.filter((ref) => !known.has(ref))).toEqual([]);
    expect(all.components.map((component) => component['bom-ref'])).toEqual(expect.arrayContaining(listed));
  });
});
