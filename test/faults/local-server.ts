import { readConfig } from '../../src/app/config.ts';
import { type RunningForge, startServer } from '../../src/app/serve.ts';
import { TEST_PASSWORD_COST } from '../../src/app/throwaway/config.ts';
import { afterTest, type Cleanup } from '../support/after-test.ts';
import type { Server, Site } from './server-process.ts';

/** A server in this process, which starts at a tenth of the cost of one in a separate process. It keeps no log. */
export class LocalServer implements Server {
  readonly url: string;
  readonly hasEnded = false;
  readonly #forge: RunningForge;

  private constructor(forge: RunningForge) {
    this.url = forge.url;
    this.#forge = forge;
  }

  static async start(cleanup: Cleanup, { dataFolder, location, adminPassword }: Site): Promise<LocalServer> {
    const database = location.kind === 'url' ? { databaseUrl: location.url } : {};
    const flags = { port: '0', data: dataFolder, logLevel: 'silent', ...database };
    const environment = { QUIRE_ADMIN_PASSWORD: adminPassword, PATH: process.env.PATH };
    const config = readConfig(flags, environment);
    const passwordHashing = { ...config.passwordHashing, cost: TEST_PASSWORD_COST };
    const forge = await startServer({ ...config, passwordHashing });
    afterTest(cleanup, () => forge.stop());
    return new LocalServer(forge);
  }

  async isEnding(): Promise<boolean> {
    return false;
  }

  complaints(): readonly string[] {
    return [];
  }

  async stop(): Promise<{ code: number | null }> {
    await this.#forge.stop();
    return { code: 0 };
  }
}
