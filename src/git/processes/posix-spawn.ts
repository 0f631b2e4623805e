import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import { findInLibc, type Libc } from '../../base/core/native/libc.ts';
import type { ProcessCommand, ProcessEnd, StartedProcess } from './model.ts';

/*
 * Node starts a process with fork(2), which copies the page tables of this process on the thread that answers requests:
 * 5 ms at 160 MB, 14 ms at 370 MB, and page faults later on. posix_spawn(3) shares the memory with the new process until
 * that one runs its program, which takes 0.4 ms at any size.
 */

const SIGNATURES = {
  posix_spawn: { arguments: ['buffer', 'string', 'buffer', 'buffer', 'buffer', 'buffer'], return: 'i32' },
  posix_spawn_file_actions_init: { arguments: ['buffer'], return: 'i32' },
  posix_spawn_file_actions_adddup2: { arguments: ['buffer', 'i32', 'i32'], return: 'i32' },
  posix_spawn_file_actions_addchdir_np: { arguments: ['buffer', 'string'], return: 'i32' },
  posix_spawn_file_actions_destroy: { arguments: ['buffer'], return: 'i32' },
  posix_spawnattr_init: { arguments: ['buffer'], return: 'i32' },
  posix_spawnattr_setflags: { arguments: ['buffer', 'i16'], return: 'i32' },
  posix_spawnattr_setsigdefault: { arguments: ['buffer', 'buffer'], return: 'i32' },
  posix_spawnattr_setsigmask: { arguments: ['buffer', 'buffer'], return: 'i32' },
  sigfillset: { arguments: ['buffer'], return: 'i32' },
  sigemptyset: { arguments: ['buffer'], return: 'i32' },
  socketpair: { arguments: ['i32', 'i32', 'i32', 'buffer'], return: 'i32' },
  waitpid: { arguments: ['i32', 'buffer', 'i32'], return: 'i32' },
  close: { arguments: ['i32'], return: 'i32' },
} as const;

type Functions = Libc<typeof SIGNATURES>['functions'];

/** Flags of spawn.h in glibc: a new session, no ignored signals, and no blocked ones. */
const POSIX_SPAWN_SETSIGDEF = 0x04;
const POSIX_SPAWN_SETSIGMASK = 0x08;
const POSIX_SPAWN_SETSID = 0x80;
/** Numbers of sys/socket.h and sys/wait.h in Linux. */
const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0o2000000;
const WNOHANG = 1;
/** Rooms for types of glibc, which take 80, 336 and 128 bytes on processors with addresses of 64 bits. */
const FILE_ACTIONS_BYTES = 256;
const ATTRIBUTES_BYTES = 1024;
const SIGNALS_BYTES = 256;
const ADDRESS_BYTES = 8;
const NUMBER_BYTES = 4;
const PROCESSORS = ['x64', 'arm64'];
/** Ends of processes arrive as signals. In case one is missed, and to keep this process alive until then. */
const LOOK_AGAIN_MS = 1_000;

/** undefined: not looked for yet; null: this process cannot do it */
let starter: Starter | null | undefined;

/** @returns undefined if this process cannot do it, or if the system does not start the process */
export function startWithoutCopy(command: ProcessCommand): StartedProcess | undefined {
  starter ??= findStarter();
  return starter?.start(command);
}

function findStarter(): Starter | null {
  // Only the main thread receives signals.
  if (!isMainThread || !PROCESSORS.includes(process.arch)) return null;
  const libc = findInLibc(SIGNATURES);
  return libc === undefined ? null : new Starter(libc);
}

class Starter {
  readonly #libc: Libc<typeof SIGNATURES>;
  readonly #attributes: Uint8Array;
  readonly #actions = new Uint8Array(new ArrayBuffer(FILE_ACTIONS_BYTES));
  readonly #ended: Ended;
  /** what the library reads by its address: held here until the next start, so that it stays in memory */
  #texts: ArrayBuffer[] = [];

  constructor(libc: Libc<typeof SIGNATURES>) {
    this.#libc = libc;
    this.#attributes = attributesOf(libc.functions);
    this.#ended = new Ended(libc.functions);
  }

  start(requested: ProcessCommand): StartedProcess | undefined {
    const { program, args, environment, inputFile } = requested;
    const words = [program, ...args];
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    // C ends a string there. Node rejects such a command.
    if ([...words, ...variables].some((text) => text.includes('\0'))) return undefined;
    const pairs = this.#openPairs(inputFile === undefined ? 3 : 2);
    if (pairs === undefined) return undefined;
    const theirs = [...(inputFile === undefined ? [] : [inputFile]), ...pairs.map(([, other]) => other)];
    const pid = this.#spawn(words, variables, theirs);
    for (const [, other] of pairs) this.#libc.functions.close(other);
    if (pid !== undefined)
      return this.#watch(
        pid,
        pairs.map(([ours]) => ours),
      );
    for (const [ours] of pairs) this.#libc.functions.close(ours);
    return undefined;
  }

  /** Opens pairs of connected sockets, as Node does. */
  #openPairs(count: number): [number, number][] | undefined {
    const { functions } = this.#libc;
    const pairs: [number, number][] = [];
    const numbers = new Int32Array(new ArrayBuffer(2 * NUMBER_BYTES));
    while (pairs.length < count) {
      if (functions.socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, numbers) !== 0) {
        for (const number of pairs.flat()) functions.close(number);
        return undefined;
      }
      pairs.push([numbers[0] ?? -1, numbers[1] ?? -1]);
    }
    return pairs;
  }

  /**
   * @param words the program and its arguments
   * @param files what the process has as its standard input, output and error
   */
  #spawn(
    words: readonly string[],
    variables: readonly string[],
    files: readonly number[],
  ): number | undefined {
    const { functions } = this.#libc;
    const pid = new Int32Array(new ArrayBuffer(NUMBER_BYTES));
    this.#texts = [];
    functions.posix_spawn_file_actions_init(this.#actions);
    try {
      const steps = files.map((file, number) =>
        functions.posix_spawn_file_actions_adddup2(this.#actions, file, number),
      );
      steps.push(functions.posix_spawn_file_actions_addchdir_np(this.#actions, '/'));
      if (steps.some((error) => error !== 0)) return undefined;
      const error = functions.posix_spawn(
        pid,
        words[0] ?? '',
        this.#actions,
        this.#attributes,
        this.#addressesOf(words),
        this.#addressesOf(variables),
      );
      return error === 0 ? pid[0] : undefined;
    } finally {
      functions.posix_spawn_file_actions_destroy(this.#actions);
    }
  }

  /** Encodes texts, and returns a list of their addresses that ends with zero. */
  #addressesOf(list: readonly string[]): BigUint64Array {
    const lengths = list.map((text) => Buffer.byteLength(text) + 1);
    const memory = new ArrayBuffer(lengths.reduce((sum, length) => sum + length, 1));
    this.#texts.push(memory);
    const texts = Buffer.from(memory);
    const addresses = new BigUint64Array(new ArrayBuffer((list.length + 1) * ADDRESS_BYTES));
    const start = this.#libc.addressOf(memory);
    let at = 0;
    for (const [index, text] of list.entries()) {
      addresses[index] = start + BigInt(at);
      texts.write(text, at);
      at += lengths[index] ?? 0;
    }
    return addresses;
  }

  #watch(pid: number, ours: readonly number[]): StartedProcess {
    const [output, errors] = ours.slice(-2);
    const input = ours.length > 2 ? ours[0] : undefined;
    const stdin = input === undefined ? null : new Socket({ fd: input, readable: false, writable: true });
    const [stdout, stderr] = [output, errors].map(
      (fd) => new Socket({ fd: fd ?? -1, readable: true, writable: false }),
    ) as [Socket, Socket];
    let hasExited = false;
    const exit = this.#ended.of(pid).then((exitCode) => {
      hasExited = true;
      stdin?.destroy();
      // Unread output must not keep the process from being closed.
      for (const stream of [stdout, stderr]) if (stream.readableFlowing === null) stream.resume();
      return exitCode;
    });
    const closed = Promise.all([exit, whenClosed(stdout), whenClosed(stderr)]).then(
      ([exitCode]): ProcessEnd => ({ exitCode, error: undefined }),
    );
    return { pid, stdin, stdout, stderr, hasExited: () => hasExited, closed };
  }
}

function whenClosed(stream: Socket): Promise<void> {
  return new Promise((resolve) => stream.once('close', () => resolve()));
}

/** Attributes of all processes: a session of their own, and the signals of a new process. */
function attributesOf(functions: Functions): Uint8Array {
  const attributes = new Uint8Array(new ArrayBuffer(ATTRIBUTES_BYTES));
  const signals = new Uint8Array(new ArrayBuffer(SIGNALS_BYTES));
  functions.posix_spawnattr_init(attributes);
  functions.posix_spawnattr_setflags(
    attributes,
    POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK,
  );
  functions.sigfillset(signals);
  functions.posix_spawnattr_setsigdefault(attributes, signals);
  functions.sigemptyset(signals);
  functions.posix_spawnattr_setsigmask(attributes, signals);
  return attributes;
}

/** Waits for the ends of processes. Node does so only for those that it has started. */
class Ended {
  readonly #functions: Functions;
  readonly #running = new Map<number, (exitCode: number | null) => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(functions: Functions) {
    this.#functions = functions;
    // Before the first process starts: if this process began with the signal ignored, the system would forget the end.
    process.on('SIGCHLD', () => this.#look());
  }

  /** @returns its exit status; null if a signal ended it */
  of(pid: number): Promise<number | null> {
    this.#timer ??= setInterval(() => this.#look(), LOOK_AGAIN_MS);
    return new Promise((resolve) => this.#running.set(pid, resolve));
  }

  #look(): void {
    const status = new Int32Array(new ArrayBuffer(NUMBER_BYTES));
    for (const [pid, resolve] of this.#running) {
      const found = this.#functions.waitpid(pid, status, WNOHANG);
      if (found === 0) continue;
      this.#running.delete(pid);
      resolve(found === pid ? exitCodeOf(status[0] ?? 0) : null);
    }
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** @see wait(2), WIFEXITED and WEXITSTATUS */
function exitCodeOf(status: number): number | null {
  return (status & 0x7f) === 0 ? (status >> 8) & 0xff : null;
}
