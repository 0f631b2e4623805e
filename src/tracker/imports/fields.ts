import { isStorableText, withoutControls } from '../../base/core/text/text.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import { RemoteError } from '../../git/remote/model.ts';
import { LAST_MS, readDueDay, readDueTime, readTime } from '../../http/time.ts';
import { IMPORT_LIMITS } from './limits.ts';

/** A record of another server, whose fields may have any type. */
export class Fields {
  readonly #record: Readonly<Record<string, unknown>>;
  readonly #what: string;

  /** @throws RemoteError for anything but a record */
  constructor(value: unknown, what: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(what);
    this.#record = value as Readonly<Record<string, unknown>>;
    this.#what = what;
  }

  has(name: string): boolean {
    return this.#record[name] !== undefined;
  }

  /** Reads a text of any length; '' if it is absent. */
  text(name: string): string {
    const value = this.#record[name] ?? '';
    if (typeof value !== 'string' || !isStorableText(value)) throw this.#malformed(name);
    return value;
  }

  /** Reads a text as one line. */
  line(name: string): string {
    return withoutControls(this.text(name)).trim();
  }

  /** Reads a positive whole number, such as an id. */
  id(name: string, max: number = Number.MAX_SAFE_INTEGER): number {
    const value = this.#record[name];
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1 || value > max)
      throw this.#malformed(name);
    return value;
  }

  /** Reads a whole number from 0; 0 if it is absent, negative, or anything else. */
  count(name: string): number {
    const value = this.#record[name];
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
  }

  /** Reads a whole number from 0; 0 if it is absent. */
  whole(name: string, max: number): number {
    const value = this.#record[name] ?? 0;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > max)
      throw this.#malformed(name);
    return value;
  }

  flag(name: string): boolean {
    return this.#record[name] === true;
  }

  /** Reads a time, ms; null if it is absent or was never set. Later times than now become now. */
  time(name: string): number | null {
    return this.#time(name, { read: readTime, lastMs: currentTimeMs() });
  }

  /** Reads a due time, on the day that it names in its own zone. */
  dueTime(name: string): number | null {
    return this.#time(name, { read: readDueTime, lastMs: LAST_MS });
  }

  /** Reads a due date: the last second of its day. */
  dueDay(name: string): number | null {
    return this.#time(name, { read: readDueDay, lastMs: LAST_MS });
  }

  #time(name: string, as: { read: (text: string) => number | undefined; lastMs: number }): number | null {
    const value = this.#record[name] ?? null;
    if (value === null || value === '') return null;
    const ms = typeof value === 'string' ? as.read(value) : undefined;
    if (ms === undefined) throw this.#malformed(name);
    return ms <= 0 ? null : Math.min(ms, as.lastMs);
  }

  /** Reads a record; undefined if it is absent. */
  record(name: string): Fields | undefined {
    const value = this.#record[name] ?? null;
    return value === null ? undefined : new Fields(value, `${name} of ${this.#what}`);
  }

  /** Reads a list of records, each of which `read` reads. An absent list is empty. */
  list<T>(name: string, read: (fields: Fields) => T): readonly T[] {
    const value = this.#record[name] ?? [];
    if (!Array.isArray(value) || value.length > IMPORT_LIMITS.importedListItemsMax)
      throw this.#malformed(name);
    return value.map((each) => read(new Fields(each, `${name} of ${this.#what}`)));
  }

  /** Reads a list of records, without members that are not records. An absent list is empty. */
  records(name: string): readonly Fields[] {
    const value = this.#record[name] ?? [];
    if (!Array.isArray(value) || value.length > IMPORT_LIMITS.importedListItemsMax)
      throw this.#malformed(name);
    const found = value.filter((each) => typeof each === 'object' && each !== null && !Array.isArray(each));
    return found.map((each) => new Fields(each, `${name} of ${this.#what}`));
  }

  /** Reads a list of texts; an absent one is empty. */
  texts(name: string): readonly string[] {
    const value = this.#record[name] ?? [];
    const isList = Array.isArray(value) && value.length <= IMPORT_LIMITS.importedListItemsMax;
    if (!isList || !value.every((each) => typeof each === 'string')) throw this.#malformed(name);
    return value;
  }

  /** Reads texts by names; an absent record has none. */
  textsByName(name: string): Readonly<Record<string, string>> {
    const value = this.#record[name] ?? {};
    if (typeof value !== 'object' || Array.isArray(value)) throw this.#malformed(name);
    const texts = Object.entries(value).slice(0, IMPORT_LIMITS.importedListItemsMax);
    return Object.fromEntries(
      texts.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  }

  #malformed(name: string): RemoteError {
    return malformed(`${name} of ${this.#what}`);
  }
}

function malformed(what: string): RemoteError {
  return new RemoteError(`the source sends no usable ${what}`);
}
