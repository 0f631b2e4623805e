/**
 * The wings of `src/` in the order of imports, and the folders of each wing in theirs. A folder imports only from folders
 * before it, in its wing or in wings before that one. Add a new folder here first. A wing without folders is one folder.
 */
export const WINGS = {
  base: ['core', 'database', 'outbound', 'mail', 'audit', 'events', 'jobs', 'text-search'],
  storage: [],
  git: [],
  http: [],
  api: ['access', 'operations', 'document'],
  people: [
    'accounts',
    'tokens',
    'sessions',
    'second-factor',
    'oauth-grants',
    'authentication',
    'account-links',
    'recovery',
    'email-changes',
    'organizations',
    'audit',
    'teams',
    'sign-up',
    'oauth',
    'follows',
    'blocks',
    'avatars',
    'external',
  ],
  hosting: [
    'templates',
    'repositories',
    'repository-avatars',
    'quota',
    'lfs',
    'wikis',
    'mirrors',
    'push-mirrors',
    'maintenance',
    'cron',
    'node-info',
    'template-repositories',
    'team-repositories',
    'stars',
    'topics',
    'flags',
    'languages',
    'forks',
    'search',
    'transfers',
    'adoption',
  ],
  code: [
    'keys',
    'signing',
    'verification',
    'contents',
    'git-data',
    'refs',
    'commit-notes',
    'commits',
    'statuses',
    'protection',
    'branches',
    'tags',
    'wiki-pages',
    'object-downloads',
    'archives',
    'editorconfig',
    'transport',
    'ssh',
  ],
  tracker: [
    'references',
    'labels',
    'milestones',
    'issue-templates',
    'issues',
    'pulls',
    'releases',
    'imports',
    'markdown',
    'notifications',
    'webhooks',
    'event-feed',
    'mail',
    'activities',
  ],
  notes: ['notebooks', 'platform'],
  web: [],
  admin: [],
  app: [],
};

/**
 * The folders inside a large folder, in the order of imports. What lies in the large folder itself, such as its service, may
 * import all of them.
 */
export const ROOMS = {
  'base/core': ['files', 'native', 'time', 'fairness', 'text', 'spool', 'threads'],
  git: [
    'format',
    'interface',
    'trees',
    'folders',
    'processes',
    'pack-files',
    'objects',
    'changes',
    'packs',
    'fresh',
    'refs',
    'history',
    'merges',
    'small-packs',
    'archives',
    'patches',
    'remote',
    'writes',
    'maintenance',
    'transfers',
    'unadopted',
  ],
  http: ['bodies', 'pages', 'errors'],
  'hosting/repositories': ['store', 'listing', 'refs', 'settings', 'creation', 'collaborators'],
  'code/keys': ['openpgp', 'ssh', 'store'],
  'code/ssh': ['commands', 'keys', 'server', 'bridge'],
  'code/contents': ['last-commits', 'raw', 'writing'],
  web: [
    'parts',
    'highlighting',
    'frame',
    'forms',
    'sign-in',
    'oauth',
    'feeds',
    'code',
    'tracker',
    'notes',
    'people',
    'settings',
    'admin',
    'home',
  ],
  'tracker/issues': [
    'models',
    'store',
    'listing',
    'search',
    'attachments',
    'planning',
    'staging',
    'discussion',
  ],
  'tracker/pulls': [
    'store',
    'checks',
    'heads',
    'diffs',
    'reviews',
    'staging',
    'merging',
    'applying',
    'from-git',
  ],
  'tracker/releases': ['models', 'store', 'assets'],
  'tracker/activities': ['store'],
  'tracker/webhooks': ['store', 'chats', 'payloads', 'stops', 'delivering'],
  'tracker/issues/planning': ['labels', 'dependencies', 'marks', 'times'],
  'tracker/issues/discussion': ['references', 'reactions', 'subscriptions', 'comments', 'timeline'],
  'notes/notebooks': [
    'store',
    'text',
    'index',
    'listing',
    'search',
    'writing',
    'attachments',
    'history',
    'import',
  ],
};

/** Paths of all folders below `src/`, in the order of imports: `base/core`, `base/database` … `app`. */
export const ORDER = Object.entries(WINGS).flatMap(([wing, folders]) =>
  folders.length === 0 ? [wing] : folders.map((folder) => `${wing}/${folder}`),
);

/** The first feature in ORDER. Features keep their `store` and `routes` private. */
const FIRST_FEATURE = 'api/access';
/**
 * The one `store` that other features import. It owns no table: it has the expressions that decide who sees a row, which
 * other stores insert into their statements.
 */
const ACCESS_EXPRESSIONS = '^src/api/access/store/';
const STORE = '/store(?:\\.ts$|/)';
/** Composes the features, so only this folder registers their routes. */
const COMPOSITION = 'app';

/** What other wings import of `git/`: its interfaces, code that needs only these, and clients of other git servers. */
const GIT_FOR_OTHERS = ['^src/git/(?:format|interface|trees|remote)/', '^src/git/limits\\.ts$'];

const features = ORDER.slice(ORDER.indexOf(FIRST_FEATURE));
const anyOf = (folders) => `^src/(?:${folders.join('|')})/`;
/** Matches the folder of a file as `$1`. */
const FOLDER = `^src/(${ORDER.join('|')})/`;

const onlyEarlierFolders = ORDER.slice(0, -1).map((folder, index) => ({
  name: `${folder.replace('/', '-')}-imports-only-earlier-folders`,
  comment: 'Earlier folders notify later ones through events or registered listeners.',
  severity: 'error',
  from: { path: anyOf([folder]) },
  to: { path: anyOf(ORDER.slice(index + 1)) },
}));

const onlyEarlierRooms = Object.entries(ROOMS).flatMap(([folder, rooms]) => [
  {
    name: `room-of-${folder.replaceAll('/', '-')}-is-not-in-the-order`,
    comment: 'ROOMS lists every folder inside this one.',
    severity: 'error',
    from: { path: `^src/${folder}/[^/]+/`, pathNot: `^src/${folder}/(?:${rooms.join('|')})/` },
    to: {},
  },
  ...rooms.slice(0, -1).map((room, index) => ({
    name: `${folder.replaceAll('/', '-')}-${room}-imports-only-earlier-rooms`,
    comment: 'What both rooms need belongs in an earlier one.',
    severity: 'error',
    from: { path: `^src/${folder}/${room}/` },
    to: { path: `^src/${folder}/(?:${rooms.slice(index + 1).join('|')})/` },
  })),
]);

const rules = [
  {
    name: 'folder-is-not-in-the-order',
    comment: 'WINGS lists every folder of src/.',
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
    comment: 'Other features call the service, which also authorizes.',
    severity: 'error',
    from: { path: FOLDER },
    to: { path: `${anyOf(features)}.*\\bstore(?:\\.ts$|/)`, pathNot: ['^src/$1/', ACCESS_EXPRESSIONS] },
  },
  {
    name: 'access-expressions-belong-in-statements',
    comment: 'Only a store has statements to put them into. Everything else asks a service.',
    severity: 'error',
    from: { path: '^src/', pathNot: ['^src/api/access/', STORE] },
    to: { path: ACCESS_EXPRESSIONS },
  },
  {
    name: 'routes-belong-to-their-feature',
    comment: 'Only the composition registers the routes of other folders.',
    severity: 'error',
    from: { path: FOLDER, pathNot: anyOf([COMPOSITION]) },
    to: { path: `${anyOf(features)}.*\\broutes(?:\\.ts$|/)`, pathNot: '^src/$1/' },
  },
  {
    name: 'git-formats-are-pure',
    comment: 'Formats turn bytes into objects and back. They know no folder, process or row.',
    severity: 'error',
    from: { path: '^src/git/format/' },
    to: { path: '^src/', pathNot: ['^src/git/format/', '^src/git/limits\\.ts$', '^src/base/core/'] },
  },
  {
    name: 'git-interfaces-know-no-implementation',
    comment: 'They have no folder of a repository, so that the objects can also be in an object store.',
    severity: 'error',
    from: { path: '^src/git/(?:interface|trees)/' },
    to: {
      path: '^src/',
      pathNot: ['^src/git/(?:format|interface|trees)/', '^src/git/limits\\.ts$', '^src/base/'],
    },
  },
  {
    name: 'git-is-used-through-its-interfaces',
    comment: 'Only the program itself chooses an implementation and finds git.',
    severity: 'error',
    from: { path: '^src/', pathNot: ['^src/git/', '^src/app/'] },
    to: { path: '^src/git/', pathNot: GIT_FOR_OTHERS },
  },
  {
    name: 'program-creates-git',
    severity: 'error',
    from: { path: '^src/app/' },
    to: {
      path: '^src/git/',
      pathNot: [...GIT_FOR_OTHERS, '^src/git/create\\.ts$', '^src/git/processes/(?:child|git-version)\\.ts$'],
    },
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
  forbidden: [...onlyEarlierFolders, ...onlyEarlierRooms, ...rules],
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
