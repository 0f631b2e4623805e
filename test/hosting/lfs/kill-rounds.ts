import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { FaultPoint } from '../../../src/base/core/faults.ts';
import { type Answer, type Credentials, request, type SendOptions } from '../../support/http/http.ts';
import { objectOf, type TestObject } from './objects.ts';

/** administrator of the server */
const OWNER = 'root';
const TUS = { 'tus-resumable': '1.0.0' };

/** Content of an object, and whether the server has acknowledged it for a repository. */
interface Sent {
  readonly content: Buffer<ArrayBuffer>;
  readonly object: TestObject;
  /** how many bytes the server has acknowledged */
  acknowledged: number;
}

function newObject(bytes: number): Sent {
  const content = Buffer.from(randomBytes(bytes));
  return { content, object: objectOf(content), acknowledged: 0 };
}

/**
 * One kill of the server while it works on four requests at once: an upload, an upload in parts, an upload of an object
 * that another repository has, and the deletion of a repository with an object of its own.
 */
export class Round {
  readonly point: FaultPoint;
  readonly #as: Credentials;
  readonly #uploaded: Sent;
  readonly #inParts = newObject(20);
  /** belongs to `engine` from the start, and is sent to `mill` */
  readonly #shared = newObject(15);
  readonly #own = newObject(12);
  #isDeleted = false;

  constructor(point: FaultPoint, { as, largeBytes }: { as: Credentials; largeBytes: number }) {
    this.point = point;
    this.#as = as;
    this.#uploaded = newObject(largeBytes);
  }

  static async createRepositories(url: string, as: Credentials): Promise<void> {
    for (const name of ['engine', 'mill'])
      assert.equal((await request('POST', `${url}/api/v1/user/repos`, { as, json: { name } })).status, 201);
  }

  get #doomed(): string {
    return `doomed-${this.point}`;
  }

  /** Prepares what the round needs, on a server that is not about to be killed. */
  async prepare(url: string): Promise<void> {
    const created = await this.#send('POST', `${url}/api/v1/user/repos`, { json: { name: this.#doomed } });
    assert.equal(created.status, 201);
    assert.equal((await this.#put(url, 'engine', this.#shared)).status, 200);
    assert.equal((await this.#put(url, this.#doomed, this.#shared)).status, 200);
    assert.equal((await this.#put(url, this.#doomed, this.#own)).status, 200);
  }

  /** Sends all requests at once, and notes which of them the server acknowledges before its end. */
  async sendAll(url: string): Promise<void> {
    await Promise.allSettled([
      this.#put(url, 'engine', this.#uploaded).then(recordAll(this.#uploaded)),
      this.#put(url, 'mill', this.#shared).then(recordAll(this.#shared)),
      this.#continueParts(url),
      this.#delete(url),
    ]);
  }

  async requireNothingLost(url: string): Promise<void> {
    await this.#requireThere(url, 'engine', this.#shared);
    if (this.#uploaded.acknowledged > 0) await this.#requireThere(url, 'engine', this.#uploaded);
    if (this.#shared.acknowledged > 0) await this.#requireThere(url, 'mill', this.#shared);
    const offset = await this.#offset(url);
    assert.ok(offset >= this.#inParts.acknowledged, `${this.point}: ${offset} bytes of the parts are left`);
    const { status } = await this.#send('GET', `${url}/api/v1/repos/${OWNER}/${this.#doomed}`);
    if (this.#isDeleted) assert.equal(status, 404, this.point);
    // What the killed server had begun to delete belongs to no repository.
    if (status === 200) await this.#requireThere(url, this.#doomed, this.#own);
  }

  /** Repeats every request, as a client does that got no response. Each succeeds or finds its work done. */
  async repeat(url: string): Promise<void> {
    // A day has passed, so parts are gone.
    this.#inParts.acknowledged = 0;
    await this.sendAll(url);
    assert.equal(this.#isDeleted, true);
    await this.#requireThere(url, 'engine', this.#uploaded);
    await this.#requireThere(url, 'mill', this.#shared);
    await this.#requireThere(url, 'engine', this.#inParts);
  }

  #send(method: string, url: string, options: SendOptions = {}): Promise<Answer> {
    return request(method, url, { as: this.#as, ...options });
  }

  #put(url: string, repository: string, { content, object }: Sent): Promise<Answer> {
    const { oid, size } = object;
    return this.#send('PUT', `${url}/${OWNER}/${repository}.git/info/lfs/objects/${oid}/${size}`, {
      body: content,
    });
  }

  async #requireThere(url: string, repository: string, { content, object }: Sent): Promise<void> {
    const response = await fetch(`${url}/${OWNER}/${repository}.git/info/lfs/objects/${object.oid}`);
    assert.equal(response.status, 200, `${this.point} ${repository}`);
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(content), this.point);
  }

  async #continueParts(url: string): Promise<void> {
    const { content } = this.#inParts;
    for (let offset = await this.#offset(url); offset < content.length; ) {
      const { status } = await this.#send('PATCH', this.#partsAt(url), {
        body: content.subarray(offset, offset + content.length / 2),
        headers: {
          ...TUS,
          'content-type': 'application/offset+octet-stream',
          'upload-offset': String(offset),
        },
      });
      assert.equal(status, 204);
      offset = Math.min(offset + content.length / 2, content.length);
      this.#inParts.acknowledged = offset;
    }
  }

  async #offset(url: string): Promise<number> {
    const { headers } = await this.#send('HEAD', this.#partsAt(url), { headers: TUS });
    return Number(headers.get('upload-offset'));
  }

  #partsAt(url: string): string {
    const { oid, size } = this.#inParts.object;
    return `${url}/${OWNER}/engine.git/info/lfs/uploads/${oid}/${size}`;
  }

  async #delete(url: string): Promise<void> {
    const { status } = await this.#send('DELETE', `${url}/api/v1/repos/${OWNER}/${this.#doomed}`);
    assert.ok(status === 204 || status === 404);
    this.#isDeleted = true;
  }
}

function recordAll(sent: Sent) {
  return ({ status }: Answer) => {
    assert.equal(status, 200);
    sent.acknowledged = sent.content.length;
  };
}
