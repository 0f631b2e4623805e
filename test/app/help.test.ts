import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quire } from './quire.ts';

// Runs once: no outcome depends on the database.

test('every command prints its help, and an invalid command line refers to it', async (t) => {
  for (const words of [
    [],
    ['serve'],
    ['forge'],
    ['admin'],
    ['admin', 'create-user'],
    ['admin', 'reset-password'],
    ['admin', 'reset-link'],
    ['admin', 'invite'],
    ['admin', 'verify-email'],
    ['admin', 'reset-second-factor'],
    ['admin', 'list-users'],
    ['token'],
    ['token', 'create'],
    ['repository'],
    ['repository', 'purge'],
    ['notes', 'reindex'],
    ['doctor'],
    ['migrate'],
  ]) {
    const { code, output } = await quire(t, [...words, '--help']);
    assert.equal(code, 0, words.join(' '));
    assert.match(output, new RegExp(`^Usage: quire ?${words.join(' ')}`));
    // The command's own options come before the settings that it shares with others.
    assert.doesNotMatch(
      output,
      /\nSettings:[\s\S]*\n {2}--(?:email|password|admin|name|scopes|import-refs|retry-jobs) /,
    );
  }
  for (const words of [
    ['nonsense'],
    ['admin', 'nonsense'],
    ['serve', '--nonsense'],
    ['admin', 'create-user'],
  ]) {
    const { code, output } = await quire(t, words);
    assert.equal(code, 1, words.join(' '));
    assert.match(output, /^error: .*\n\(add --help to see the commands and options\)\n$/, words.join(' '));
  }
});

test('the help of a command that makes links shows the settings that its links need', async (t) => {
  for (const [command, settings] of [
    ['reset-link', ['--data', '--base-url']],
    ['invite', ['--data', '--base-url', '--sign-up', '--mail']],
  ] as const) {
    const { output } = await quire(t, ['admin', command, '--help']);
    for (const setting of settings) assert.match(output, new RegExp(`\\n {2}${setting} <value> `), output);
  }
});
