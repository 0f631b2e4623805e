import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { temporaryFolder, tryGit } from '../../support/git/git.ts';

/** Paths that each template must ignore, and paths that it must not. */
const EXPECTED: Readonly<Record<string, readonly [ignored: readonly string[], kept: readonly string[]]>> = {
  Actionscript: [['bin-debug/Main.swf', 'obj/x'], ['src/Main.as']],
  Ada: [
    ['main.ali', 'b~main.adb', 'alire/x'],
    ['src/main.adb', 'main.ads', 'alire.toml'],
  ],
  Android: [
    ['app/build/x', 'local.properties', 'app-release.apk', 'key.jks', '.gradle/x'],
    ['app/src/main/AndroidManifest.xml', 'gradle/wrapper/gradle-wrapper.jar', 'build.gradle.kts'],
  ],
  C: [
    ['main.o', 'libx.so.1', 'a.out', 'main.d'],
    ['main.c', 'main.h', 'Makefile', 'conf.d/a.conf'],
  ],
  'C++': [
    ['main.o', 'libx.a', 'x.gcda', 'main.d'],
    ['main.cpp', 'x.hpp', 'CMakeLists.txt', 'conf.d/a.conf'],
  ],
  Clojure: [
    ['target/x', '.cpcache/x', '.nrepl-port'],
    ['src/core.clj', 'deps.edn', 'project.clj'],
  ],
  CMake: [
    ['CMakeCache.txt', 'build/x', 'sub/CMakeFiles/x', 'CMakeUserPresets.json'],
    ['CMakeLists.txt', 'CMakePresets.json', 'cmake/build/x.cmake'],
  ],
  Composer: [
    ['vendor/autoload.php', 'composer.phar'],
    ['composer.json', 'composer.lock', 'src/vendor/x.php'],
  ],
  CUDA: [
    ['kernel.ptx', 'kernel.cubin'],
    ['kernel.cu', 'kernel.cuh'],
  ],
  Dart: [
    ['.dart_tool/x', 'build/x'],
    ['pubspec.yaml', 'pubspec.lock', 'lib/main.dart'],
  ],
  Delphi: [
    ['Main.dcu', '__history/x', 'Main.~pas'],
    ['Main.pas', 'Main.dfm', 'Main.dproj'],
  ],
  Dotnet: [
    ['bin/x', 'Obj/x', 'App.csproj.user', 'TestResults/x'],
    ['App.csproj', 'Program.cs'],
  ],
  Elixir: [
    ['_build/x', 'deps/x', 'prod.secret.exs'],
    ['mix.exs', 'mix.lock', 'lib/deps/x.ex'],
  ],
  Elm: [
    ['elm-stuff/x', 'elm.js'],
    ['elm.json', 'src/Main.elm'],
  ],
  Emacs: [
    ['a.el~', '#a.el#', '.#a.el', 'a.elc'],
    ['a.el', 'notes.org', '.dir-locals.el'],
  ],
  Erlang: [
    ['_build/x', 'ebin/x.beam', 'erl_crash.dump'],
    ['rebar.config', 'src/x.erl', 'ebin/x.app'],
  ],
  Fortran: [
    ['x.mod', 'x.o', 'build/x'],
    ['x.f90', 'fpm.toml'],
  ],
  Go: [
    ['x.test', 'cover.out', 'go.work', '.env'],
    ['go.mod', 'go.sum', 'x_test.go', 'vendor/x.go'],
  ],
  Godot: [
    ['.godot/x', '.import/x'],
    ['project.godot', 'x.gd', 'x.tscn', 'export_presets.cfg'],
  ],
  Gradle: [
    ['.gradle/x', 'build/x', 'app/build/x'],
    ['build.gradle', 'gradle/wrapper/gradle-wrapper.jar', 'src/main/java/build/X.java'],
  ],
  Haskell: [
    ['dist-newstyle/x', '.stack-work/x', 'X.hi'],
    ['X.hs', 'x.cabal', 'stack.yaml', 'cabal.project'],
  ],
  Java: [
    ['X.class', 'x.jar', 'hs_err_pid1.log'],
    ['X.java', 'pom.xml'],
  ],
  Jekyll: [
    ['_site/x', '.jekyll-cache/x'],
    ['_config.yml', '_posts/x.md'],
  ],
  JetBrains: [
    ['.idea/workspace.xml', '.idea/shelf/x', '.idea/dataSources.xml'],
    ['.idea/modules.xml', '.idea/codeStyles/Project.xml'],
  ],
  Julia: [
    ['x.jl.cov', 'deps/build.log', 'docs/build/x'],
    ['Project.toml', 'Manifest.toml', 'src/x.jl'],
  ],
  Kotlin: [
    ['X.class', '.kotlin/x'],
    ['X.kt', 'build.gradle.kts'],
  ],
  Laravel: [
    ['vendor/x', '.env', 'storage/oauth-private.key', 'public/build/x'],
    ['.env.example', 'artisan', 'storage/app/.gitignore', 'composer.lock'],
  ],
  Linux: [
    ['a~', '.nfs0001', '.Trash-1000/x', 'nohup.out'],
    ['a', '.config/x'],
  ],
  Lua: [
    ['luac.out', 'lua_modules/x', 'x.so'],
    ['x.lua', 'x.rockspec'],
  ],
  macOS: [
    ['.DS_Store', 'a/.DS_Store', '._x', '__MACOSX/x'],
    ['DS_Store', 'x._y'],
  ],
  Maven: [
    ['target/x', 'pom.xml.tag'],
    ['pom.xml', '.mvn/wrapper/maven-wrapper.properties'],
  ],
  Nim: [
    ['nimcache/x', 'nimble.paths'],
    ['x.nim', 'x.nimble', 'nimble.lock'],
  ],
  Node: [
    [
      'node_modules/x',
      'a/node_modules/x',
      '.env',
      '.env.local',
      'npm-debug.log',
      'coverage/x',
      '.yarn/cache/x',
    ],
    ['package.json', 'package-lock.json', '.env.example', '.yarn/releases/yarn.cjs', 'src/build/x.js'],
  ],
  'Objective-C': [
    ['build/x', 'A.xcodeproj/xcuserdata/x'],
    ['X.m', 'X.h', 'Podfile.lock'],
  ],
  OCaml: [
    ['_build/x', 'x.cmo', '_opam/x'],
    ['x.ml', 'x.mli', 'dune-project', 'x.opam'],
  ],
  Perl: [
    ['blib/x', 'Makefile', 'MYMETA.json'],
    ['Makefile.PL', 'Build.PL', 'lib/X.pm', 'cpanfile'],
  ],
  Python: [
    ['__pycache__/x.pyc', 'a/__pycache__/x', '.venv/x', 'x.egg-info/x', '.env', '.coverage', 'dist/x'],
    ['x.py', 'pyproject.toml', 'requirements.txt', 'a/site/x.py', '.python-version'],
  ],
  Qt: [
    ['moc_x.cpp', 'ui_x.h', 'x.pro.user', 'Makefile.Debug'],
    ['x.cpp', 'x.ui', 'x.pro', 'x.qml'],
  ],
  R: [
    ['.Rhistory', '.RData', '.Rproj.user/x', 'x.Rcheck/x'],
    ['DESCRIPTION', 'R/x.R', 'x.Rproj'],
  ],
  Racket: [
    ['compiled/x.zo', 'a/compiled/x'],
    ['x.rkt', 'info.rkt'],
  ],
  Rails: [
    ['log/test.log', 'tmp/cache/x', 'config/master.key', 'storage/x', 'db/test.sqlite3', '.env'],
    [
      'log/.keep',
      'tmp/.keep',
      'tmp/pids/.keep',
      'config/credentials.yml.enc',
      'db/schema.rb',
      '.env.example',
    ],
  ],
  Ruby: [
    ['x.gem', 'pkg/x', '.bundle/config', 'coverage/x'],
    ['Gemfile', 'Gemfile.lock', 'x.gemspec'],
  ],
  Rust: [
    ['target/debug/x', 'a/target/x', 'x.rs.bk'],
    ['Cargo.toml', 'Cargo.lock', 'src/main.rs'],
  ],
  Sass: [
    ['.sass-cache/x', 'x.css.map'],
    ['x.scss', 'x.css'],
  ],
  Scala: [
    ['target/x', 'project/target/x', '.bsp/x', 'X.class'],
    ['build.sbt', 'project/build.properties'],
  ],
  SublimeText: [['x.sublime-workspace', 'sftp-config.json'], ['x.sublime-project']],
  Swift: [
    ['.build/x', 'DerivedData/x', 'A.xcodeproj/xcuserdata/x'],
    ['Package.swift', 'Package.resolved'],
  ],
  Symfony: [
    ['vendor/x', 'var/cache/x', '.env.local', '.env.test.local'],
    ['.env', '.env.test', 'composer.lock', 'src/var/x.php'],
  ],
  Terraform: [
    ['.terraform/x', 'terraform.tfstate', 'x.tfstate.backup', 'secret.tfvars', 'x_override.tf'],
    ['main.tf', '.terraform.lock.hcl'],
  ],
  TeX: [
    ['x.aux', 'x.log', 'x.synctex.gz', 'x.bbl', 'x.toc'],
    ['x.tex', 'x.bib', 'x.sty', 'x.pdf'],
  ],
  Unity: [
    ['Library/x', 'Temp/x', 'UserSettings/x', 'Game.csproj'],
    ['Assets/Library/x.cs', 'Assets/x.meta', 'ProjectSettings/ProjectVersion.txt', 'Packages/manifest.json'],
  ],
  UnrealEngine: [
    ['Intermediate/x', 'Saved/x', 'Binaries/x', 'Build/Windows/x.txt', 'Plugins/P/Binaries/x'],
    ['Game.uproject', 'Source/Game.cpp', 'Content/x.uasset', 'Build/Windows/Game.ico'],
  ],
  Vim: [
    ['.x.txt.swp', '_x.swo', 'Session.vim', '.x.un~', 'x~'],
    ['x.vim', 'x.svg', 'x.swift'],
  ],
  VisualStudio: [
    ['.vs/x', 'App.csproj.user', 'bin/Debug/x', 'Obj/x', 'x64/x', 'App.pubxml', 'packages/X.1.0/x'],
    ['App.sln', 'App.csproj', 'Program.cs', 'packages/build/x.targets'],
  ],
  VisualStudioCode: [
    ['.vscode/x.db', '.history/x', 'x.vsix'],
    ['.vscode/settings.json', '.vscode/launch.json', '.vscode/go.code-snippets'],
  ],
  Windows: [
    ['Thumbs.db', 'desktop.ini', '$RECYCLE.BIN/x', 'setup.msi', 'x.lnk'],
    ['x.ini', 'x.db'],
  ],
  WordPress: [
    ['wp-config.php', 'wp-admin/x', 'wp-content/uploads/x', 'dump.sql'],
    ['wp-content/themes/own/style.css', 'wp-content/plugins/own/index.php'],
  ],
  Xcode: [
    ['build/x', 'A.xcodeproj/xcuserdata/x', 'x.mode1v3'],
    ['A.xcodeproj/project.pbxproj', 'default.mode1v3'],
  ],
  Zig: [
    ['.zig-cache/x', 'zig-out/x'],
    ['build.zig', 'build.zig.zon', 'src/main.zig'],
  ],
};

test('git ignores the expected paths, and no others, with each template', async (t) => {
  const forge = await startForge(t);
  const { body: names } = await forge.get('/api/v1/gitignore/templates');
  assert.deepEqual([...names].sort(), Object.keys(EXPECTED).sort(), 'each template has expected paths');
  const folder = await temporaryFolder(t);
  await tryGit(folder, ['init', '-q']);
  for (const name of names) {
    const { body } = await forge.get(`/api/v1/gitignore/templates/${encodeURIComponent(name)}`);
    await mkdir(path.join(folder, name));
    await writeFile(path.join(folder, name, '.gitignore'), body.source);
  }
  const pathsOf = (which: 0 | 1) =>
    Object.entries(EXPECTED).flatMap(([name, expected]) => expected[which].map((each) => `${name}/${each}`));

  const input = [...pathsOf(0), ...pathsOf(1)].map((each) => `${each}\0`).join('');
  const { stdout, stderr } = await tryGit(folder, ['check-ignore', '-z', '--stdin', '--no-index'], { input });

  assert.equal(stderr, '');
  assert.deepEqual(stdout.split('\0').slice(0, -1), pathsOf(0));
});

test('each template has its own text and ends with a line break', async (t) => {
  const forge = await startForge(t);
  const { body: names } = await forge.get('/api/v1/gitignore/templates');
  const seen = new Set<string>();
  for (const name of names) {
    const { body } = await forge.get(`/api/v1/gitignore/templates/${encodeURIComponent(name)}`);
    assert.match(body.source, /^# .+\n(?:.*\S\n|\n(?!\n))*$/, name);
    assert.doesNotMatch(body.source, /[ \t\r]\n/, name);
    seen.add(body.source);
  }
  assert.equal(seen.size, names.length);
});
