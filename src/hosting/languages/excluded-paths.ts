// Recognizes third-party, generated and documentation files by path and name. Follows the lists of GitHub Linguist
// (vendor.yml, documentation.yml, generated.rb) where they use only names.

const VENDORED_FOLDERS = new Set([
  '.yarn',
  '3rd-party',
  '3rd_party',
  '3rdparty',
  'bower_components',
  'carthage',
  'dist',
  'extern',
  'external',
  'externals',
  'godeps',
  'node_modules',
  'pods',
  'third-party',
  'third_party',
  'thirdparty',
  'vendor',
  'vendored',
  'vendors',
]);
const VENDORED_ROOT_FOLDERS = new Set(['debian', 'dependencies', 'deps']);
const DOCUMENTATION_FOLDERS = new Set(['documentation', 'groovydoc', 'javadoc']);
const DOCUMENTATION_ROOT_FOLDERS = new Set([
  'demo',
  'demos',
  'doc',
  'docs',
  'examples',
  'man',
  'sample',
  'samples',
]);

const VENDORED_FILES = new Set([
  'aclocal.m4',
  'config.guess',
  'config.sub',
  'configure',
  'depcomp',
  'gradlew',
  'gradlew.bat',
  'install-sh',
  'libtool.m4',
  'ltmain.sh',
  'missing',
  'mvnw',
  'mvnw.cmd',
]);
const VENDORED_ENDINGS = ['.min.js', '-min.js', '.min.css', '-min.css', '.d.ts'];
const GENERATED_ENDINGS = [
  '.bundle.js',
  '.designer.cs',
  '.freezed.dart',
  '.g.cs',
  '.g.dart',
  '.generated.ts',
  '.generated.go',
  '.generated.cs',
  '.pb.cc',
  '.pb.go',
  '.pb.gw.go',
  '.pb.h',
  '_pb2.py',
  '_pb2_grpc.py',
];
const GENERATED_FILES =
  /^zz_generated\.|^(?:go|gopkg|cargo|composer|poetry|pipfile|package-lock|yarn)\.(?:lock|sum)$/;
const DOCUMENTATION_FILES = /^(?:change(?:s|log)?|contributing|copying|install|licen[cs]e|readme)(?:\.|$)/;

/** Whether a folder holds third-party code. The answer applies to everything in it. */
export function isVendoredFolder(path: string): boolean {
  const { name, isInRoot } = lastOf(path);
  return VENDORED_FOLDERS.has(name) || (isInRoot && VENDORED_ROOT_FOLDERS.has(name));
}

export function isDocumentationFolder(path: string): boolean {
  const { name, isInRoot } = lastOf(path);
  return DOCUMENTATION_FOLDERS.has(name) || (isInRoot && DOCUMENTATION_ROOT_FOLDERS.has(name));
}

export function isVendoredFile(path: string): boolean {
  const { name } = lastOf(path);
  return VENDORED_FILES.has(name) || VENDORED_ENDINGS.some((ending) => name.endsWith(ending));
}

export function isDocumentationFile(path: string): boolean {
  return DOCUMENTATION_FILES.test(lastOf(path).name);
}

export function isGeneratedFile(path: string): boolean {
  const { name } = lastOf(path);
  return GENERATED_FILES.test(name) || GENERATED_ENDINGS.some((ending) => name.endsWith(ending));
}

function lastOf(path: string): { name: string; isInRoot: boolean } {
  const slash = path.lastIndexOf('/');
  return { name: path.slice(slash + 1).toLowerCase(), isInRoot: slash === -1 };
}
