import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { BlockList, isIPv6 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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

interface IpBlock {
  readonly cidr: string;
  readonly except?: readonly string[];
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
    readonly egress?: readonly { readonly to?: readonly { readonly ipBlock: IpBlock }[] }[];
    readonly ttlSecondsAfterFinished?: number;
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

function componentOf({ metadata }: Resource): string {
  return metadata.labels?.['app.kubernetes.io/component'] ?? '';
}

/** Clouds serve credentials of machines and pods at these addresses. */
const CREDENTIAL_ADDRESSES = [
  ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '100.100.100.200', '168.63.129.16'],
  ...['fe80::a9fe:a9fe', 'fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'],
];
const ORDINARY_ADDRESSES = ['10.0.0.5', '203.0.113.7', 'fd12::5', '2001:db8::7'];

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

function isIn(address: string, ranges: readonly string[]): boolean {
  return ranges.some((range) => {
    const [net = '', prefix] = range.split('/');
    // Node takes every IPv4 address for a part of ::/0. Kubernetes does not.
    if (familyOf(net) !== familyOf(address)) return false;
    const list = new BlockList();
    list.addSubnet(net, Number(prefix), familyOf(net));
    return list.check(address, familyOf(address));
  });
}

function render(kubectlPath: string, folder: string, root = FOLDER): Resource[] {
  const text = execFileSync(kubectlPath, ['kustomize', join(root, folder)], { encoding: 'utf8' });
  return parseAllDocuments(text).map((document) => document.toJS() as Resource);
}

function environmentFor(container: Container, resources: readonly Resource[]): Record<string, string> {
  const maps = container.envFrom.map(({ configMapRef }) => configMapRef.name);
  const settings = resources.filter(({ kind, metadata }) => kind === 'ConfigMap' && maps.includes(metadata.name));
  const own = (container.env ?? []).map(({ name, value }) => [name, value] as const);
  return Object.assign({}, ...settings.map(({ data }) => data), Object.fromEntries(own)) as Record<string, string>;
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
    const resources = render(kubectl.path, overlay);
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

    const environmentIn = ({ container }: { container: Container }) => environmentFor(container, resources);

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
        expect(names('PersistentVolumeClaim')).toEqual(expect.arrayContaining(claims));
        expect(pod.volumes.flatMap((volume) => volume.secret?.secretName ?? [])).toEqual([SECRET]);
      },
    );

    it.each(pods)(
      'gives $name only variables that the service reads, with secrets in files, in a form that production accepts',
      (pod) => {
        const environment = environmentIn(pod);
        expect(Object.keys(environment).filter((name) => !(variableOf(name) in VARIABLES))).toEqual([]);
        const secrets = Object.entries(VARIABLES).flatMap(([name, { takesFile }]) => (takesFile ? name : []));
        expect(secrets.filter((name) => name in environment)).toEqual([]);
        const mounted = Object.entries(environment).filter(([name]) => name.endsWith('_FILE'));
        expect(mounted.filter(([name, path]) => path !== `/secrets/${variableOf(name)}`)).toEqual([]);
        const config = loadConfig({ ...environmentOf(runtime), ...readFiles(environment, EXAMPLES) });
        expect(config.environment).toBe('production');
        expect(config.dataDir.path).toBe('/data');
        expect(config.operations.host).toBe('0.0.0.0');
      },
    );

    it('is in the documentation with its Secret and each key of it', () => {
      const keys = pods.flatMap((pod) => Object.keys(environmentIn(pod)).filter((name) => name.endsWith('_FILE')));
      const documented = [`deploy/kubernetes/${overlay}`, SECRET, ...keys.map((key) => `secrets/${variableOf(key)}`)];
      expect(documented.filter((name) => !deploying.includes(name))).toEqual([]);
    });

    it('is upgraded, and goes back, by selections of labels with the settings and the roles whose turn it is', () => {
      const steps = [
        { selector: 'app.kubernetes.io/component notin (api, worker)', without: ['api', 'worker'], updates: [] },
        { selector: 'app.kubernetes.io/component!=api', without: ['api'], updates: ['oes-worker'] },
        { selector: 'app.kubernetes.io/component!=worker', without: ['worker'], updates: ['oes-api'] },
      ];
      for (const { selector, without, updates } of steps) {
        expect(deploying).toContain(`-l '${selector}'`);
        const applied = resources.filter((resource) => !without.includes(componentOf(resource)));
        const needed = applied.map(({ kind }) => kind);
        expect(needed).toEqual(expect.arrayContaining(['ServiceAccount', 'ConfigMap', 'Job']));
        const names = applied.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name);
        expect(names).toEqual(processes.map(({ metadata }) => metadata.name).filter((name) => updates.includes(name)));
      }
    });

    it('applies the migrations by a Job that no probe ends, which is deleted before the next change', () => {
      const jobs = ofKind('Job');
      expect(jobs.map(({ metadata }) => metadata.name)).toEqual(['oes-migrate']);
      expect(jobs.map(({ spec }) => spec.ttlSecondsAfterFinished)).toEqual([600]);
      for (const pod of pods) expect(environmentIn(pod).MIGRATE_ON_START).toBe('wait');
      const probes = podsWith(jobs[0]?.spec.template.metadata.labels ?? {}).map(({ container }) => [
        container.startupProbe,
        container.livenessProbe,
      ]);
      expect(probes).toEqual([[undefined, undefined]]);
    });

    it('lets pods reach stores and receivers, and no address at which clouds serve credentials', () => {
      const rules = ofKind('NetworkPolicy').flatMap(({ spec }) => spec.egress ?? []);
      const blocks = rules.flatMap(({ to }) => (to ?? []).map(({ ipBlock }) => ipBlock));
      const isAllowed = (address: string) =>
        blocks.some(({ cidr, except = [] }) => isIn(address, [cidr]) && !isIn(address, except));
      expect(CREDENTIAL_ADDRESSES.filter(isAllowed)).toEqual([]);
      expect(ORDINARY_ADDRESSES.filter(isAllowed)).toEqual(ORDINARY_ADDRESSES);
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
      it('has one process that runs everything, with its data in a claim', () => {
        const [pod, ...others] = pods.filter(({ container }) => container.command === undefined);
        expect([pod?.name, pod && environmentIn(pod).PROCESS_ROLE, others]).toEqual(['oes-api', 'all', []]);
        expect(processes[0]?.spec.replicas).toBe(1);
        expect(ofKind('PersistentVolumeClaim')).toHaveLength(1);
        expect(pod?.pod.volumes.filter((volume) => volume.persistentVolumeClaim !== undefined)).toHaveLength(1);
      });
    }

    if (overlay === 'production') {
      it('has processes of both roles', () => {
        expect(processes.map(({ metadata }) => metadata.name)).toEqual(['oes-api', 'oes-worker']);
      });

      it('has a folder that adds a Job which replicates the events, with the same image and settings', () => {
        const all = render(kubectl.path, 'event-store');
        expect(all.flatMap(faultsOf)).toEqual([]);
        const copying = all.filter((resource) => componentOf(resource) === 'event-store');
        expect(copying.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([['Job', 'oes-event-store']]);
        const [container] = copying[0]?.spec.template.spec.containers ?? [];
        const [migrate] = podsWith({ 'app.kubernetes.io/component': 'migrate' });
        expect(container?.command).toEqual(['oes', 'migrate', '--event-store']);
        expect([container?.image, container?.envFrom]).toEqual([migrate?.container.image, migrate?.container.envFrom]);
        expect(deploying).toContain('deploy/kubernetes/event-store -l app.kubernetes.io/component=event-store');
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

if ('path' in kubectl)
  describe('the folder of your own in the documentation', () => {
    const [, section = ''] = /^### A folder of your own\n([^]*?)^### /m.exec(deploying) ?? [];
    const blocks = [...section.matchAll(/^( *)```(?:yaml|sh)\n([^]*?)^ *```$/gm)].map(([, indent = '', text = '']) =>
      text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    );
    const [own = '', settings = '', withoutOperator = '', label = ''] = blocks;
    let root: string;
    beforeAll(() => {
      root = mkdtempSync(join(tmpdir(), 'oes-kubernetes-'));
      cpSync(FOLDER, root, { recursive: true });
      mkdirSync(join(root, 'my-cluster'));
      writeFileSync(join(root, 'my-cluster/settings.env'), settings);
    });
    afterAll(() => rmSync(root, { recursive: true }));

    const renderOwn = (kustomization: string, folder = 'my-cluster'): Resource[] => {
      writeFileSync(join(root, 'my-cluster/kustomization.yaml'), kustomization);
      return render(kubectl.path, folder, root);
    };
    const containersOf = (resources: readonly Resource[]): Container[] =>
      resources
        .filter(({ kind }) => ['Deployment', 'Job'].includes(kind))
        .flatMap(({ spec }) => spec.template.spec.containers as Container[]);

    it('gives every pod the image that it names, and settings without ClickHouse that production accepts', () => {
      const resources = renderOwn(own);
      const containers = containersOf(resources);
      const image = 'registry.example.net/operational-event-service:1.0.0';
      expect(containers.map((container) => container.image)).toEqual([image, image, image]);
      for (const container of containers) {
        const environment = environmentFor(container, resources);
        const set = Object.entries(environment).filter(([name, value]) => value !== '' || !name.endsWith('_FILE'));
        const config = loadConfig({ ...environmentOf(runtime), ...readFiles(Object.fromEntries(set), EXAMPLES) });
        expect(config.eventStore).toEqual(loadConfig({}).eventStore);
      }
    });

    it('may leave out what only the Prometheus operator knows, or label it for a chart', () => {
      const monitoring = (resources: readonly Resource[]) =>
        resources.filter(({ kind }) => /^(?:ServiceMonitor|PrometheusRule)$/.test(kind));
      expect(monitoring(renderOwn(own + withoutOperator))).toEqual([]);
      const labels = monitoring(renderOwn(own + label)).map(({ metadata }) => metadata.labels?.release);
      expect(labels).toEqual(['kube-prometheus-stack', 'kube-prometheus-stack']);
    });

    it('may be the base of the Job that replicates the events', () => {
      const file = join(root, 'event-store/kustomization.yaml');
      writeFileSync(file, readFileSync(file, 'utf8').replace('../production', '../my-cluster'));
      const jobs = renderOwn(own, 'event-store').filter(({ kind }) => kind === 'Job');
      expect(jobs.map(({ metadata }) => metadata.name)).toEqual(['oes-event-store']);
      expect(containersOf(jobs)[0]?.image).toMatch(/^registry\.example\.net\//);
    });
  });

describe('the folder of the secrets in the documentation', () => {
  it('is kept out of Git', () => {
    const [, folder = ''] = /mkdir (\S+)\n +printf %s 'postgres:/.exec(deploying) ?? [];
    const path = `${folder}/DATABASE_URL`;
    expect(deploying).toContain(`> ${path}`);
    const ignored = execFileSync('git', ['check-ignore', path], { cwd: ROOT, encoding: 'utf8' });
    expect(ignored.trim()).toBe(path);
  });
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
