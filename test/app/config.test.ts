import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, type Flags, readConfig } from '../../src/app/config.ts';
import { temporaryFolder } from '../support/git/git.ts';

// Runs once: no outcome depends on the database.

test('an invalid setting is rejected with the valid values', () => {
  const cases: readonly (readonly [flags: Flags, reason: RegExp])[] = [
    [{ port: '99999' }, /^the port must be 0 to 65535, not 99999$/],
    [{ baseUrl: 'ftp://x' }, /^the base URL must be an http or https address/],
    [{ databaseUrl: 'mysql://x' }, /^the database URL must begin with postgres:/],
    [{ config: '/none/none.json' }, /^cannot read the configuration file/],
    [{ pushToCreate: 'yes' }, /^--push-to-create \(QUIRE_PUSH_TO_CREATE\) must be true or false, not yes$/],
    [{ metricsAccess: 'all' }, /^the metrics access must be one of loopback, token, everyone, not all$/],
    [{ lfsBatchObjects: '0' }, /^--lfs-batch-objects \(QUIRE_LFS_BATCH_OBJECTS\) must be a number from 1/],
    [{ lfs: 'false', requireLfsObjects: 'true' }, /^--require-lfs-objects needs git-lfs: set --lfs/],
    [
      { signingEmail: 'quire' },
      /^the e-mail address of the signer must have the form name@example\.org, not quire$/,
    ],
    [{ signingName: 'a\u0007b' }, /^the name of the signer must be one line of text$/],
    [{ sshPort: 'ssh' }, /^the port must be 0 to 65535, not ssh$/],
    ...['git@example.org', 'example.org:22:22', 'example.org:', ':22', '[example.org]:22', 'a b'].map(
      (sshAddress) => [{ sshAddress }, /^the SSH address must be HOST or HOST:PORT, not /] as const,
    ),
    [{ sshAddress: 'example.org:0' }, /^the port of the SSH address must not be 0$/],
    [{ sshSocket: 'yes' }, /^--ssh-socket \(QUIRE_SSH_SOCKET\) must be true or false, not yes$/],
    [{ siteName: ' ' }, /^--site-name \(QUIRE_SITE_NAME\) must have 1 to 40 characters$/],
    [
      { siteNotice: 'x'.repeat(501) },
      /^--site-notice \(QUIRE_SITE_NOTICE\) must have at most 500 characters$/,
    ],
    [{ footerLinks: 'Imprint=javascript:alert(1)' }, /^a link of --footer-links .* must be WORDS=ADDRESS, /],
    [{ footerLinks: 'Imprint' }, /^a link of --footer-links .* not Imprint$/],
    [{ looks: '/none' }, /^--looks \(QUIRE_LOOKS\) must be a folder, not \/none$/],
    [{ logFormat: 'xml' }, /^the log format must be auto, text or json, not xml$/],
    [{ objects: '/srv/objects' }, /^the object store must be "folder" or begin with s3:\/\/BUCKET$/],
    [{ objects: 's3://quire' }, /^the object store needs credentials: set QUIRE_OBJECTS_KEY_ID and/],
    ...(
      [
        ['s3://id:secret@quire', /must not contain a user/],
        ['s3://quire#x', /must not contain a user, a password or a fragment/],
        ['s3://q', /^invalid bucket "q"/],
        ['s3://Quire_x', /^invalid bucket/],
        ['s3://quire/a%20b', /^invalid prefix/],
        ['s3://quire/../x?secret=x', /^unknown option secret of the object store: choose from endpoint,/],
        ['s3://quire?endpoint=ftp://x', /^the endpoint of the object store must be an http or https address/],
        ['s3://quire?endpoint=https://a:b@x', /^the endpoint of the object store must be/],
        ['s3://quire?public-endpoint=x', /^the public-endpoint of the object store must be/],
        ['s3://quire?path-style=yes', /^path-style of the object store must be true or false, not yes$/],
        ['s3://quire?region=a/b', /^invalid region/],
      ] as const
    ).map(([objects, reason]) => [{ objects, objectsKeyId: 'id', objectsSecret: 'secret' }, reason] as const),
    ...['on', 'http://mail', 'smtp://', 'mail.example.org:587'].map(
      (mail) =>
        [{ mail }, /^mail must be "off", "folder", smtp:\/\/HOST:PORT or smtps:\/\/HOST:PORT/] as const,
    ),
    [{ mail: 'smtp://ada:secret@mail' }, /^the address of the mail server must not contain a user/],
    [{ mail: 'smtp://mail/?x=1' }, /^the address of the mail server must end after the port$/],
    [{ mail: 'smtp://mail', mailUser: 'ada' }, /^set both QUIRE_MAIL_USER and QUIRE_MAIL_PASSWORD/],
    [{ signUp: 'yes' }, /^--sign-up \(QUIRE_SIGN_UP\) must be off, invitation, domain or open, not yes$/],
    [{ signUp: 'domain' }, /^--sign-up domain needs --sign-up-domains/],
    [
      { signUp: 'open', signUpDomains: 'a.org' },
      /^--sign-up-domains has an effect only with --sign-up domain/,
    ],
    ...['a@b.org', 'https://a.org', 'a..b', '*', '*.', '-a.org', 'a b'].map(
      (signUpDomains) =>
        [{ signUp: 'domain', signUpDomains }, /^a domain to sign up with must be a name such as/] as const,
    ),
    [{ mailFrom: 'quire' }, /^the sender of mail must be an address such as quire@example\.org, not quire$/],
    ...['http://quire', 'quire:3000', '*.example.org', '*', '::1', '[::1]', 'a b', 'quire/', 'x,-', '..'].map(
      (allowedHosts) =>
        [
          { allowedHosts },
          /^an allowed host must be a name without scheme, port and wildcard, such as quire\.example\.org, not /,
        ] as const,
    ),
    ...['foo', '10.0.0.0/33', '::1/129', '10.0.0.1/', '10.0.0.0/8/8', '10.0.0.1,10.0.0'].map(
      (trustedProxies) => [{ trustedProxies }, /^a trusted proxy must be an address or a network/] as const,
    ),
  ];
  for (const [flags, reason] of cases) {
    assert.throws(() => readConfig(flags, {}), { name: ConfigError.name, message: reason });
  }
});

test('the address of an S3 store has defaults for AWS, and others for an endpoint', () => {
  const read = (objects: string) =>
    readConfig({ objects }, { QUIRE_OBJECTS_KEY_ID: 'id', QUIRE_OBJECTS_SECRET: 'secret' }).objects;
  const common = { kind: 's3', bucket: 'quire', accessKeyId: 'id', secretAccessKey: 'secret' };

  assert.deepEqual(readConfig({}, {}).objects, { kind: 'folder' });
  assert.deepEqual(read('s3://quire?region=eu-central-1'), {
    ...common,
    prefix: '',
    endpoint: 'https://s3.eu-central-1.amazonaws.com',
    publicEndpoint: 'https://s3.eu-central-1.amazonaws.com',
    region: 'eu-central-1',
    pathStyle: false,
  });
  assert.deepEqual(
    read('s3://quire/a/b/?endpoint=http://minio:9000/&public-endpoint=https://files.example.org'),
    {
      ...common,
      prefix: 'a/b/',
      endpoint: 'http://minio:9000',
      publicEndpoint: 'https://files.example.org',
      region: 'us-east-1',
      pathStyle: true,
    },
  );
});

test('the settings file accepts strings, numbers, booleans, and arrays for lists', async (t) => {
  const file = join(await temporaryFolder(t), 'quire.json');
  const read = async (settings: object) => {
    await writeFile(file, JSON.stringify(settings));
    return readConfig({ config: file }, {});
  };
  const typed = await read({
    port: 3001,
    forcePrivate: true,
    pushToCreate: false,
    disabledUnits: ['repo.wiki', 'repo.issues'],
    trustedProxies: ['10.0.0.0/8', '::1'],
  });
  const textual = await read({
    port: '3001',
    forcePrivate: 'true',
    pushToCreate: 'false',
    disabledUnits: 'repo.wiki, repo.issues',
    trustedProxies: '10.0.0.0/8,::1',
  });
  assert.deepEqual(typed, textual);
  assert.deepEqual(typed.trustedProxies, ['10.0.0.0/8', '::1']);
  for (const [settings, reason] of [
    [{ port: [3001] }, /^port in .* must be a string, a number, true or false$/],
    [{ host: null }, /^host in .* must be a string, a number, true or false$/],
    [{ port: true }, /^the port must be 0 to 65535, not true$/],
    [{ trustedProxies: [10] }, /^trustedProxies in .* must be a string or an array of strings$/],
    [{ trustedProxies: {} }, /^trustedProxies in .* must be a string or an array of strings$/],
    [{ nonsense: 1 }, /^unknown setting nonsense in .*: choose from port, host,/],
    [[], /must contain a JSON object$/],
  ] as const) {
    await assert.rejects(read(settings), { name: ConfigError.name, message: reason });
  }
});

test('allowed hosts have the form in which browsers send them', () => {
  const read = (allowedHosts: string) => readConfig({ allowedHosts }, {}).allowedHosts;
  assert.deepEqual(read(''), []);
  assert.deepEqual(read('Quire.LAN, quire,my_service.,BÜCHER.example'), [
    'quire.lan',
    'quire',
    'my_service',
    'xn--bcher-kva.example',
  ]);
});

test('the first administrator has an address at the host of the server, unless a setting gives another', () => {
  for (const [flags, email] of [
    [{}, 'root@localhost'],
    [{ baseUrl: 'https://forge.example:8443/x' }, 'root@forge.example'],
    [{ baseUrl: 'http://192.0.2.1', adminName: 'ada' }, 'ada@localhost'],
    [{ baseUrl: 'http://[2001:db8::1]:3000' }, 'root@localhost'],
    [{ baseUrl: 'https://forge.example', adminEmail: 'ada@example.org' }, 'ada@example.org'],
  ] as const) {
    assert.equal(readConfig(flags, {}).adminEmail, email);
  }
});

test('the address of SSH is a host, with port 22 unless it names another', () => {
  const addressOf = (sshAddress: string) => readConfig({ sshAddress }, {}).ssh.address;
  assert.deepEqual(addressOf('git.example.org'), { host: 'git.example.org', port: 22 });
  assert.deepEqual(addressOf('Git.Example.org:2222'), { host: 'git.example.org', port: 2222 });
  assert.deepEqual(addressOf('192.0.2.1:22'), { host: '192.0.2.1', port: 22 });
  assert.deepEqual(addressOf('2001:db8::1'), { host: '[2001:db8::1]', port: 22 });
  assert.deepEqual(addressOf('[2001:db8::1]:2222'), { host: '[2001:db8::1]', port: 2222 });
  assert.equal(addressOf(''), null);
  assert.equal(readConfig({}, {}).ssh.port, null);
});
