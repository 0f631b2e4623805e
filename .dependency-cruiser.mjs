/**
 * The one list that says what may import what: a folder of `src/` imports only from folders before it.
 * A new folder gets its place here first.
 */
export const ORDER = [
  'core',
  'database',
  'storage',
  'git',
  'events',
  'jobs',
  'http',
  'access',
  'accounts',
  'tokens',
  'authentication',
  'organizations',
  'teams',
  'templates',
  'repositories',
  'maintenance',
  'template-repositories',
  'team-repositories',
  'stars',
  'topics',
  'languages',
  'forks',
  'search',
  'contents',
  'archives',
  'lfs',
  'transport',
  'issues',
  'notifications',
  'webhooks',
  'notes',
  'transfers',
  'web',
  'admin',
  'app',
];

/** From here on a folder is a feature, whose `store` and `routes` are its own. */
const FIRST_FEATURE = 'access';
/**
 * The one `store` that other features import. It owns no table: it has the expressions that decide who sees a row, which
 * other stores insert into their statements.
 */
const ACCESS_EXPRESSIONS = '^src/access/store/';
/** Puts the features together, so it alone registers the routes of all. */
const COMPOSITION = 'app';

const features = ORDER.slice(ORDER.indexOf(FIRST_FEATURE));
const anyOf = (folders) => `^src/(?:${folders.join('|')})/`;

const onlyEarlierFolders = ORDER.slice(0, -1).map((folder, index) => ({
  name: `${folder}-imports-only-earlier-folders`,
  comment: 'What comes earlier tells what comes later by an event or a registered listener.',
  severity: 'error',
  from: { path: anyOf([folder]) },
  to: { path: anyOf(ORDER.slice(index + 1)) },
}));

const rules = [
  {
    name: 'folder-has-no-place-in-the-order',
    comment: 'Every folder of src/ has its place in ORDER.',
    severity: 'error',
    from: { path: '^src/', pathNot: anyOf(ORDER) },
    to: {},
  },
  {
    name: 'no-cycle',
    comment: 'Imports form no cycle, and imports of types count: move what both files need to a third one.',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'store-belongs-to-its-feature',
    comment: 'Others ask the service, which also authorizes.',
    severity: 'error',
    from: { path: '^src/([^/]+)/' },
    to: { path: `${anyOf(features)}store(?:\\.ts$|/)`, pathNot: ['^src/$1/', ACCESS_EXPRESSIONS] },
  },
  {
    name: 'access-expressions-belong-in-statements',
    comment: 'Only a store has statements to put them into. Everything else asks a service.',
    severity: 'error',
    from: { path: '^src/', pathNot: ['^src/access/', '^src/[^/]+/store(?:\\.ts$|/)'] },
    to: { path: ACCESS_EXPRESSIONS },
  },
  {
    name: 'routes-belong-to-their-feature',
    comment: 'Only the composition registers the routes of others.',
    severity: 'error',
    from: { path: '^src/([^/]+)/', pathNot: anyOf([COMPOSITION]) },
    to: { path: `${anyOf(features)}routes(?:\\.ts$|/)`, pathNot: '^src/$1/' },
  },
  {
    name: 'product-imports-nothing-of-its-tests',
    severity: 'error',
    from: { path: '^src/' },
    to: { path: '^(?:test|testing|bench|scripts)/' },
  },
  {
    name: 'testing-is-published-without-our-tests',
    severity: 'error',
    from: { path: '^testing/' },
    to: { path: '^(?:test|bench|scripts)/' },
  },
  {
    name: 'product-runs-without-development-packages',
    severity: 'error',
    from: { path: '^(?:src|testing)/' },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '/@types/' },
  },
  {
    name: 'import-resolves',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
];

export default {
  forbidden: [...onlyEarlierFolders, ...rules],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Imports of types count: readers follow them, too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
