/** How a forge differs from the default. */
export interface ForgeOptions {
  /** an empty PostgreSQL database to use instead of the embedded one; `stop` does not clean it up */
  readonly databaseUrl?: string;
  /** folder for the data, which remains after `stop`; the default is a temporary folder that `stop` removes */
  readonly dataFolder?: string;
  /** level of the log on standard error; `silent` by default */
  readonly logLevel?: string;
  /** start of all links; the address of the forge by default */
  readonly baseUrl?: string;
  readonly trustedProxies?: readonly string[];
  /** other settings, by their names in the configuration file */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A running forge. */
export interface Forge extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** `${url}/api/v1` */
  readonly apiRoot: string;
  /** a site administrator with a token for all scopes */
  readonly admin: { readonly name: string; readonly password: string; readonly token: string };
  readonly dataFolder: string;
  stop(): Promise<void>;
}
