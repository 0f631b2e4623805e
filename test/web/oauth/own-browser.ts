import { chmod, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { afterTest } from '../../support/after-test.ts';
import type { Person } from '../../support/forge/forge.ts';
import { temporaryFolder } from '../../support/git/git.ts';

/** Receives the addresses that programs open on the machine of their user. */
export class Opener {
  /** a program sends an address to it as a body */
  readonly url: string;
  /** how many addresses programs have opened */
  count = 0;
  #next = Promise.withResolvers<string>();

  private constructor(url: string) {
    this.url = url;
  }

  static async start(t: TestContext): Promise<Opener> {
    const server = createServer(async (request, response) => {
      const opened = await text(request);
      opener.count += 1;
      opener.#next.resolve(opened);
      response.end();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    afterTest(t, () => server.close());
    const opener = new Opener(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return opener;
  }

  /** Returns the address that a program opens next, or ends with the failure of the program. */
  async next(program: Promise<unknown>): Promise<string> {
    const early = program.then(() => {
      throw new Error('the program has ended without a browser');
    });
    const opened = await Promise.race([this.#next.promise, early]);
    this.#next = Promise.withResolvers();
    return opened;
  }

  /** Makes the commands with which programs open a browser. Returns a search path that begins with them. */
  async searchPath(t: TestContext): Promise<string> {
    const folder = await temporaryFolder(t);
    const command = join(folder, 'open');
    const send = `fetch(process.argv[1], { method: 'POST', body: process.argv[2] })`;
    await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' -e "${send}" '${this.url}' "$1"\n`);
    await chmod(command, 0o755);
    await symlink(command, join(folder, 'xdg-open'));
    return `${folder}:${process.env.PATH}`;
  }
}

/** Signs a person in on the page that an address leads to. */
export async function signInOn(page: Page, { name, password }: Person): Promise<void> {
  await page.getByLabel('Name or e-mail address').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Lets git-credential-oauth act for the user. */
export async function allowGit(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Let git-credential-oauth act for you?' }).waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('You may close this page').waitFor();
}
