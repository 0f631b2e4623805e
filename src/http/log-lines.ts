import { styleText } from 'node:util';
import { stdSerializers } from 'pino';

/** `text` for a person, `json` for a program. */
export type LogFormat = 'text' | 'json';

/** Where the logger writes its lines, which are JSON. */
interface LogStream {
  write(line: string): void;
}

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};
const WARNING = 40;

/** Returns standard error, because standard output is for the output of commands. Text is made from the JSON lines. */
export function logStream(format: LogFormat): LogStream {
  if (format === 'json') return { write: writeSoon };
  return { write: (line) => writeSoon(line, readableLine(line)) };
}

const INFO_OR_LOWER = /^\{"level":[123]0,/;
let waiting = '';
let writesAtExit = false;

/**
 * Writes the lines of one turn of the event loop together, because each write is a system call that every request would
 * wait for. Warnings and errors are written at once, with the lines before them.
 */
function writeSoon(json: string, line = json): void {
  if (waiting === '') setImmediate(writeWaiting);
  waiting += line;
  if (!writesAtExit) process.once('exit', writeWaiting);
  writesAtExit = true;
  if (!INFO_OR_LOWER.test(json)) writeWaiting();
}

function writeWaiting(): void {
  const lines = waiting;
  waiting = '';
  if (lines !== '') process.stderr.write(lines);
}

/**
 * Formats one line of the log for a person: time, level, message, then the other fields as `name=value`, and the stack of
 * an error on lines of its own. Control characters in values are escaped, because a terminal acts on them.
 */
export function readableLine(json: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const name = (LEVELS[Number(level)] ?? `${level}`).padEnd(5);
  const shown = Object.entries(fields).map(([key, value]) => ` ${key}=${shownValue(value)}`);
  const styled = Number(level) < WARNING ? name : inRed(name);
  return `${timeOfDay(Number(time))} ${styled} ${escaped(`${msg ?? ''}`)}${shown.join('')}\n${stackOf(err)}`;
}

function timeOfDay(ms: number): string {
  const at = new Date(ms);
  const digits = (number: number, count: number) => String(number).padStart(count, '0');
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => digits(part, 2)).join(':');
  return `${clock}.${digits(at.getMilliseconds(), 3)}`;
}

/** Colors text if standard error is a terminal and the user did not switch colors off. */
function inRed(text: string): string {
  return styleText('red', text, { stream: process.stderr });
}

function shownValue(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return escaped(value);
  return escaped(JSON.stringify(value));
}

function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { stack, message } = error as { stack?: unknown; message?: unknown };
  const lines = `${stack ?? message ?? ''}`.split('\n');
  return lines.map((line) => `    ${escaped(line)}\n`).join('');
}

function escaped(text: string): string {
  return text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

interface LoggedError {
  readonly [field: string]: unknown;
  readonly type: string;
  readonly message: string;
  readonly stack: string;
}

/** Returns what a line of the log shows of an error. A `DOMException` would bring its 25 constants along. */
export function loggedError(error: Error): LoggedError {
  if (!(error instanceof DOMException)) return stdSerializers.err(error);
  return { type: error.name, message: error.message, stack: error.stack ?? '' };
}
