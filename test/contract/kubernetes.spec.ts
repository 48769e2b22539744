import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv, type ValidateFunction } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config/index.js';
import { VARIABLES } from '../../src/config/variables.js';
import { type Absent, askProgram } from '../support/programs/ask.js';
import { copiesOf, environmentOf, readDockerfile, readFiles, ROOT, type Stage, textsOf } from './docker-files.js';

type Labels = Readonly<Record<string, string>>;

interface Container {
  readonly image: string;
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: unknown;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Pod {
  readonly serviceAccountName: string;
  readonly securityContext: unknown;
  readonly terminationGracePeriodSeconds: number;
  readonly topologySpreadConstraints?: readonly { readonly labelSelector: { readonly matchLabels: Labels } }[];
  readonly containers: readonly Container[];
  readonly volumes: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string };
    readonly persistentVolumeClaim?: { readonly claimName: string };
  }[];
}

/** The members of all kinds that the tests read. */
interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: Labels & { readonly matchLabels?: Labels };
    readonly podSelector?: { readonly matchLabels: Labels };
    readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod };
    readonly ports?: readonly { readonly name: string; readonly targetPort: string }[];
    readonly ingress?: readonly { readonly ports: readonly { readonly port: string }[] }[];
    readonly endpoints?: readonly { readonly port: string; readonly path: string }[];
    readonly jobLabel?: string;
    readonly groups?: unknown;
  };
}

const FOLDER = join(ROOT, 'deploy/kubernetes');
const OVERLAYS = ['small', 'production'] as const;
const SECRET = 'oes-secrets';
const runtime = readDockerfile().at(-1) as Stage;
const deploying = readFileSync(join(ROOT, 'docs/deploying.md'), 'utf8');

const schemas = JSON.parse(readFileSync(join(import.meta.dirname, 'kubernetes/schemas.json'), 'utf8')) as {
  kinds: Record<string, object>;
  definitions: object;
};
const validators = new Map<string, ValidateFunction>();
const ajv = new Ajv({ strict: true, strictTypes: false, allErrors: true, allowUnionTypes: true });

/** Returns what a schema of Kubernetes says against a resource. */
function faultsOf({ apiVersion, kind, ...rest }: Resource): string[] {
  const key = `${apiVersion} ${kind}`;
  const schema = schemas.kinds[key];
  if (schema === undefined) return [`schemas.json has no ${key}`];
  const validate = validators.get(key) ?? ajv.compile({ ...schema, definitions: schemas.definitions });
  validators.set(key, validate);
  if (validate({ apiVersion, kind, ...rest })) return [];
  const faults = validate.errors ?? [];
  return faults.map(
    ({ instancePath, message, params }) => `${key} ${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function includes(labels: Labels, selector: Labels): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

/** The variable that a name of an environment sets. Only secrets may be in files. */
function variableOf(name: string): string {
  const plain = name.replace(/_FILE$/, '');
  const { takesFile = true } = (VARIABLES as Record<string, { takesFile?: boolean }>)[plain] ?? {};
  return plain === name || takesFile ? plain : name;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://events:secret@postgres.example.com:5432/events',
  REDIS_URL: 'redis://redis.example.com:6379',
  SMTP_URL: 'smtp://mail.example.com:587',
  JWT_PRIVATE_KEYS: generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString(),
  CREDENTIAL_ENCRYPTION_KEYS: `main:${randomBytes(32).toString('base64')}`,
  S3_SECRET_ACCESS_KEY: 'secret',
  CLICKHOUSE_PASSWORD: 'secret',
};

/** Older versions do not know `patches` with a target. Debian 12 has such a version. */
const MIN_KUSTOMIZE = 5;

async function findKubectl(): Promise<{ path: string } | Absent> {
  const found = await askProgram<{ path: string }>('kubectl');
  if ('absent' in found) return found;
  const version = execFileSync(found.path, ['version', '--client', '--output=json'], { encoding: 'utf8' });
  const { kustomizeVersion = 'none' } = JSON.parse(version) as { kustomizeVersion?: string };
  const isNewEnough = Number(/^v(\d+)\./.exec(kustomizeVersion)?.[1] ?? 0) >= MIN_KUSTOMIZE;
  return isNewEnough
    ? found
    : { absent: `${found.path} has kustomize ${kustomizeVersion}, older than ${MIN_KUSTOMIZE}` };
}

const kubectl = await findKubectl();
if ('absent' in kubectl) it.skip(`kubectl is left out: ${kubectl.absent}`, () => undefined);
else
  describe.each(OVERLAYS)('the overlay %s', (overlay) => {
    const text = execFileSync(kubectl.path, ['kustomize', join(FOLDER, overlay)], { encoding: 'utf8' });
    const resources = parseAllDocuments(text).map((document) => document.toJS() as Resource);
    const ofKind = (kind: string): Resource[] => resources.filter((resource) => resource.kind === kind);
    const processes = ofKind('Deployment');
    const pods = [...processes, ...ofKind('Job')].map(({ metadata, spec }) => ({
      name: metadata.name,
      labels: spec.template.metadata.labels,
      pod: spec.template.spec,
      container: spec.template.spec.containers[0] as Container,
    }));
    const podsWith = (selector: Labels) => pods.filter(({ labels }) => includes(labels, selector));
    const portsOf = ({ container }: (typeof pods)[number]) => (container.ports ?? []).map(({ name }) => name);

    function environmentIn({ container }: (typeof pods)[number]): Record<string, string> {
      const maps = container.envFrom.map(({ configMapRef }) => configMapRef.name);
      const settings = ofKind('ConfigMap').filter(({ metadata }) => maps.includes(metadata.name));
      const own = (container.env ?? []).map(({ name, value }) => [name, value] as const);
      return Object.assign({}, ...settings.map(({ data }) => data), Object.fromEntries(own)) as Record<string, string>;
    }

    it('has only kinds and properties that Kubernetes knows', () => {
      expect(resources.length).toBeGreaterThan(5);
      expect(resources.flatMap(faultsOf)).toEqual([]);
    });

    it('puts everything into one namespace, each resource under the name of the service', () => {
      const elsewhere = resources.filter(({ metadata }) => metadata.namespace !== 'operational-events');
      expect(elsewhere).toEqual([]);
      expect(resources.filter(({ metadata }) => !/^oes(-|$)/.test(metadata.name))).toEqual([]);
    });

    it('selects in each Deployment its own pods only', () => {
      for (const { metadata, spec } of processes) {
        const selected = podsWith(spec.selector?.matchLabels ?? {});
        expect(selected.map(({ name }) => name)).toEqual([metadata.name]);
        for (const { labelSelector } of spec.template.spec.topologySpreadConstraints ?? []) {
          expect(labelSelector.matchLabels).toEqual(spec.selector?.matchLabels);
        }
      }
    });

    it('lets services, budgets and network policies select pods that exist, and ports that these pods have', () => {
      const selecting = [...ofKind('Service'), ...ofKind('PodDisruptionBudget'), ...ofKind('NetworkPolicy')];
      expect(selecting.length).toBeGreaterThan(4);
      for (const { kind, metadata, spec } of selecting) {
        const plain = spec.selector?.matchLabels ?? spec.podSelector?.matchLabels ?? spec.selector ?? {};
        const running = podsWith(plain).filter(({ container }) => container.ports !== undefined);
        expect([kind, metadata.name, running.length]).not.toEqual([kind, metadata.name, 0]);
        const named = [
          ...(spec.ports ?? []).map(({ targetPort }) => targetPort),
          ...(spec.ingress ?? []).flatMap(({ ports }) => ports.map(({ port }) => port)),
        ];
        const missing = running.flatMap((pod) => named.filter((port) => !portsOf(pod).includes(port)));
        expect([kind, metadata.name, missing]).toEqual([kind, metadata.name, []]);
      }
    });

    it('has a disruption budget for each Deployment', () => {
      const budgets = ofKind('PodDisruptionBudget').map(({ spec }) => spec.selector?.matchLabels);
      expect(budgets).toEqual(processes.map(({ spec }) => spec.selector?.matchLabels));
    });

    it('gives processes the ports on which they listen, and probes of the operations port', () => {
      const [http, operations] = (textsOf(runtime, 'EXPOSE')[0] ?? '').split(' ').map(Number);
      for (const pod of pods.filter(({ container }) => container.command === undefined)) {
        const ports = Object.fromEntries((pod.container.ports ?? []).map((port) => [port.name, port.containerPort]));
        const hasApi = environmentIn(pod).PROCESS_ROLE !== 'worker';
        expect(ports).toEqual({ operations, ...(hasApi ? { http } : {}) });
        const { startupProbe, livenessProbe, readinessProbe } = pod.container;
        expect(startupProbe?.httpGet).toEqual({ path: '/live', port: 'operations' });
        expect(livenessProbe?.httpGet).toEqual({ path: '/live', port: 'operations' });
        expect(readinessProbe?.httpGet).toEqual({ path: '/ready', port: 'operations' });
        // The service cuts its own shutdown short after 30 seconds, and the pod pauses for 5 before.
        expect(pod.pod.terminationGracePeriodSeconds).toBeGreaterThan(35);
      }
    });

    it.each(pods)('runs $name as an ordinary user that can write to its volumes only', ({ pod, container }) => {
      const [uid, gid] = (textsOf(runtime, 'USER').at(-1) ?? '').split(':').map(Number);
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: uid,
        runAsGroup: gid,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/secrets', '/tmp', '/data']);
      expect(container.volumeMounts.map(({ name }) => name).sort()).toEqual(pod.volumes.map(({ name }) => name).sort());
    });

    it.each(pods)(
      'gives $name what it names: its account, its settings, its claims and one Secret',
      ({ pod, ...rest }) => {
        const { container } = rest;
        const names = (kind: string) => ofKind(kind).map(({ metadata }) => metadata.name);
        expect(names('ServiceAccount')).toContain(pod.serviceAccountName);
        expect(names('ConfigMap')).toEqual(container.envFrom.map(({ configMapRef }) => configMapRef.name));
        const claims = pod.volumes.flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? []);
        expect(names('PersistentVolumeClaim')).toEqual(claims);
        expect(pod.volumes.flatMap((volume) => volume.secret?.secretName ?? [])).toEqual([SECRET]);
      },
    );

    it.each(pods)('gives $name only variables that the service reads, in a form that production accepts', (pod) => {
      const environment = environmentIn(pod);
      expect(Object.keys(environment).filter((name) => !(variableOf(name) in VARIABLES))).toEqual([]);
      const mounted = Object.entries(environment).filter(([name]) => name.endsWith('_FILE'));
      expect(mounted.filter(([name, path]) => path !== `/secrets/${variableOf(name)}`)).toEqual([]);
      const config = loadConfig({ ...environmentOf(runtime), ...readFiles(environment, EXAMPLES) });
      expect(config.environment).toBe('production');
      expect(config.dataDir.path).toBe('/data');
      expect(config.operations.host).toBe('0.0.0.0');
    });

    it('is in the documentation with its Secret and each key of it', () => {
      const keys = pods.flatMap((pod) => Object.keys(environmentIn(pod)).filter((name) => name.endsWith('_FILE')));
      const documented = [`deploy/kubernetes/${overlay}`, SECRET, ...keys.map((key) => `secrets/${variableOf(key)}`)];
      expect(documented.filter((name) => !deploying.includes(name))).toEqual([]);
    });

    it('runs in other pods a command that the image has', () => {
      const commands = pods.flatMap(({ container }) => container.command?.[0] ?? []);
      const programs = copiesOf(runtime).map(({ target }) => target);
      expect(commands.filter((command) => !programs.includes(`/usr/local/bin/${command}`))).toEqual([]);
    });

    it('has the image of one release', () => {
      const images = new Set(pods.map(({ container }) => container.image));
      expect([...images]).toEqual([expect.stringMatching(/^[\w.]+\/operational-event-service:\d+\.\d+\.\d+$/)]);
    });

    if (overlay === 'small') {
      it('has one process that runs everything and applies the migrations, with its data in a claim', () => {
        expect(pods.map((pod) => [pod.name, environmentIn(pod).PROCESS_ROLE])).toEqual([['oes-api', 'all']]);
        expect(processes[0]?.spec.replicas).toBe(1);
        expect(ofKind('PersistentVolumeClaim')).toHaveLength(1);
        expect(environmentIn(pods[0] as (typeof pods)[number]).MIGRATE_ON_START).toBe('on');
      });
    }

    if (overlay === 'production') {
      it('has processes of both roles, which wait for the job that applies the migrations', () => {
        expect(processes.map(({ metadata }) => metadata.name)).toEqual(['oes-api', 'oes-worker']);
        expect(ofKind('Job').map(({ metadata }) => metadata.name)).toEqual(['oes-migrate']);
        for (const pod of pods) expect(environmentIn(pod).MIGRATE_ON_START).toBe('wait');
      });

      it('leaves the number of processes to an autoscaler of each Deployment', () => {
        const scaled = ofKind('HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef);
        expect(scaled).toEqual(
          processes.map(({ metadata }) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name: metadata.name })),
        );
        expect(processes.map(({ spec }) => spec.replicas)).toEqual([undefined, undefined]);
      });

      it('is scraped under the job name that the alert rules expect', () => {
        const [monitor] = ofKind('ServiceMonitor');
        const [endpoint] = monitor?.spec.endpoints ?? [];
        const selector = monitor?.spec.selector?.matchLabels ?? {};
        const scraped = ofKind('Service').filter(({ metadata }) => includes(metadata.labels ?? {}, selector));
        expect(scraped.map(({ metadata }) => metadata.name)).toEqual(['oes-operations']);
        expect(scraped[0]?.spec.ports?.map(({ name }) => name)).toContain(endpoint?.port);
        expect(endpoint?.path).toBe('/metrics');
        expect(scraped[0]?.metadata.labels?.[monitor?.spec.jobLabel ?? '']).toBe('operational-event-service');
      });

      it('has the alert rules of docs/operations/alerts.yaml', () => {
        const { groups } = parse(readFileSync(join(ROOT, 'docs/operations/alerts.yaml'), 'utf8')) as {
          groups: unknown;
        };
        expect(ofKind('PrometheusRule').map(({ spec }) => spec.groups)).toEqual([groups]);
      });
    }
  });

describe('the schema of a kind', () => {
  const schema = { ...schemas.kinds['v1 ServiceAccount'], definitions: schemas.definitions };

  it('refuses a property that Kubernetes does not know', () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'oes' } };
    expect(ajv.validate(schema, account)).toBe(true);
    expect(ajv.validate(schema, { ...account, automountServiceAccountTokens: false })).toBe(false);
    expect(ajv.validate(schema, { ...account, metadata: { labels: { a: 1 } } })).toBe(false);
  });
});
