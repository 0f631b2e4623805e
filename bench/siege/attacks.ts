import { setTimeout as sleep } from 'node:timers/promises';
import { basicAuthorization } from '../corpus/forge.ts';
import { emptyPack, fetchRequest, packHeader, pushCommands, unknownIds } from './packets.ts';
import type { RawConnection, ResponseHead } from './raw-http.ts';
import type { Targets } from './targets.ts';

/** One hostile connection, from its start to its end. */
interface Attempt {
  readonly targets: Targets;
  readonly connection: RawConnection;
  /** address that the connection seems to come from */
  readonly address: string;
  /** number of the attempt */
  readonly turn: number;
  readonly signal: AbortSignal;
}

/** Returns what the server answered, or undefined if it did not. */
type Attack = (attempt: Attempt) => Promise<ResponseHead | undefined>;

const FETCH_TYPE = 'application/x-git-upload-pack-request';
const PUSH_TYPE = 'application/x-git-receive-pack-request';
const JSON_TYPE = 'application/json';
/** An attacker gives up on a connection after this long and opens another. */
const OPEN_MS = 45_000;
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

  'wrong password': async ({ targets, connection, address, turn }) => {
    const { members } = targets;
    const name = members[turn % members.length]?.name ?? '';
    connection.request('GET', '/api/v1/user', {
      ...from(address),
      authorization: basicAuthorization(name, `guess ${turn} from ${address}`),
    });
    return answered(connection);
  },

  'wrong password on the sign-in page': async ({ targets, connection, address, turn }) => {
    const { members } = targets;
    const form = new URLSearchParams({
      user_name: members[turn % members.length]?.name ?? '',
      password: `typed guess ${turn} from ${address}`,
    });
    connection.request('POST', '/user/login', {
      ...from(address),
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(form.toString().length),
      'sec-fetch-site': 'same-origin',
    });
    connection.write(form.toString());
    return answered(connection);
  },

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

/** The server trusts the program as a proxy, so that its connections come from many addresses. */
function from(address: string): Record<string, string> {
  return { 'x-forwarded-for': address };
}

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

/** Waits for an answer, or holds the connection as long as the attacker has patience. */
async function untilClosed(connection: RawConnection): Promise<ResponseHead | undefined> {
  return endAfter(connection, OPEN_MS);
}

async function answered(connection: RawConnection): Promise<ResponseHead | undefined> {
  const head = await endAfter(connection, OPEN_MS);
  connection.end();
  return head;
}

async function endAfter(connection: RawConnection, ms: number): Promise<ResponseHead | undefined> {
  const timer = setTimeout(() => connection.end(), ms);
  // The server decides when an answered connection ends.
  const head = await connection.head;
  if (head !== undefined && head.status !== 200) connection.end();
  await connection.closed();
  clearTimeout(timer);
  return head;
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

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
