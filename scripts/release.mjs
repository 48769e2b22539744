// Makes the files of a release: the image for several architectures, the lists of its packages, its origin, and the
// checksums of these files.
//   node scripts/release.mjs --image <registry/name> [--node-image <image>] [--platforms <list>] [--output <folder>]
//   node scripts/release.mjs --without-image [--output <folder>]
// The image is pushed, because only a registry holds images of several architectures. It needs Docker with buildx. The
// files of an earlier release in the folder are replaced. A folder with other files is refused.
import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const DIGEST = /^sha256:[\da-f]{64}$/;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const RELEASE_FILES = ['SHA256SUMS', 'image.json', 'provenance.json', 'sbom-build.cdx.json', 'sbom.cdx.json'];

class ReleaseError extends Error {}

try {
  release();
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function release() {
  const { values } = parseArgs({
    options: {
      image: { type: 'string' },
      'without-image': { type: 'boolean', default: false },
      'node-image': { type: 'string', default: 'node:24-slim' },
      platforms: { type: 'string', default: 'linux/amd64,linux/arm64' },
      output: { type: 'string', default: 'release' },
    },
  });
  if ((values.image === undefined) !== values['without-image']) {
    throw new ReleaseError('Give either --image with the name of the image in its registry, or --without-image.');
  }
  if (values.image !== undefined && run('git', 'status', '--porcelain') !== '') {
    throw new ReleaseError('The work tree has changes that no commit has: commit or remove them first.');
  }
  const output = resolve(values.output);
  refuseOtherFiles(output);
  const base = values.image === undefined ? null : withDigest(values['node-image']);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const origin = { version, revision: run('git', 'rev-parse', 'HEAD'), source: sourceOf() };

  mkdirSync(output, { recursive: true });
  for (const name of RELEASE_FILES) rmSync(join(output, name), { force: true });
  const bill = billOfMaterials();
  // Also the packages of the console and of the pages, which are compiled into dist, and the tools of the build.
  writeJson(join(output, 'sbom-build.cdx.json'), bill);
  writeJson(join(output, 'sbom.cdx.json'), withoutDevelopment(bill));
  if (base !== null) buildImage({ ...values, base }, origin, output);
  writeChecksums(output);
}

/** @throws ReleaseError for a folder with files that no release writes, such as the folder of a checkout */
function refuseOtherFiles(folder) {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new ReleaseError(`${folder} is not a folder.`);
  const other = readdirSync(folder).find((name) => !RELEASE_FILES.includes(name));
  if (other === undefined) return;
  throw new ReleaseError(`${folder} has the file ${other}, which is not part of a release: give an empty folder.`);
}

/** Returns every package of the lock file in CycloneDX. npm names the service by its folder. */
function billOfMaterials() {
  const words = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const bill = JSON.parse(run('npm', ...words));
  bill.metadata.component.name = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).name;
  return bill;
}

/**
 * Leaves out the packages that only the build needs. The option --omit=dev of "npm sbom" also leaves out packages that
 * both the build and the service need, such as Express.
 */
function withoutDevelopment(bill) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const kept = new Set([
    bill.metadata.component['bom-ref'],
    ...Object.entries(packages)
      .filter(([path, { dev }]) => path !== '' && dev !== true)
      .map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`),
  ]);
  return {
    ...bill,
    serialNumber: `urn:uuid:${randomUUID()}`,
    components: bill.components.filter((component) => kept.has(component['bom-ref'])),
    dependencies: bill.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((name) => kept.has(name)) })),
  };
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

function buildImage({ image, platforms, base }, origin, output) {
  const tag = `${image}:${origin.version}`;
  const metadata = join(output, 'image.json');
  const words = [
    ...['buildx', 'build', '--file', 'docker/Dockerfile', '--platform', platforms, '--tag', tag],
    ...['--build-arg', `NODE_IMAGE=${base}`, '--build-arg', `VERSION=${origin.version}`],
    ...['--build-arg', `REVISION=${origin.revision}`, '--build-arg', `SOURCE=${origin.source}`],
    ...['--provenance', 'mode=max', '--sbom', 'true', '--metadata-file', metadata, '--push', '.'],
  ];
  run('docker', ...words);
  const digest = JSON.parse(readFileSync(metadata, 'utf8'))['containerimage.digest'];
  if (!DIGEST.test(digest)) throw new ReleaseError(`Docker has built ${tag}, but has not given its digest.`);
  const provenance = {
    image: `${tag}@${digest}`,
    platforms: platforms.split(','),
    base,
    ...origin,
    built_at: new Date().toISOString(),
    built_with: { docker: run('docker', 'buildx', 'version'), node: process.version },
    command: ['docker', ...words.map((word) => (word === metadata ? 'image.json' : word))],
  };
  writeJson(join(output, 'provenance.json'), provenance);
}

/** Returns the image with its digest, which the registry gives when the name has none. A tag may change its image. */
function withDigest(image) {
  const [name, given] = image.split('@');
  const digest = given ?? run('docker', 'buildx', 'imagetools', 'inspect', name, '--format', '{{.Manifest.Digest}}');
  if (!DIGEST.test(digest)) {
    throw new ReleaseError(
      `The base image ${name} has no digest. A release is not built on a tag, whose image may change.`,
    );
  }
  return `${name}@${digest}`;
}

/** Returns the address of the repository, without credentials. Empty: the clone has no origin. */
function sourceOf() {
  try {
    return run('git', 'remote', 'get-url', 'origin').replace(/^(https?:\/\/)[^/@]*@/, '$1');
  } catch {
    return '';
  }
}

/** The format is that of "sha256sum --check". */
function writeChecksums(folder) {
  const lines = readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
}

function run(program, ...words) {
  try {
    const stdio = ['ignore', 'pipe', 'pipe'];
    return execFileSync(program, words, { cwd: root, encoding: 'utf8', stdio, maxBuffer: MAX_OUTPUT_BYTES }).trim();
  } catch (error) {
    const reason = `${error.stderr ?? ''}`.trim() || error.message;
    throw new ReleaseError(`"${program} ${words.slice(0, 2).join(' ')}" failed: ${reason}`);
  }
}
