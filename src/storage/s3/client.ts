import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { STORAGE_LIMITS } from '../limits.ts';
import type { S3Settings } from './settings.ts';

/** Three clients of one store. */
export interface S3Clients {
  /** for bodies that clients read at their own pace, so that slow ones occupy no connection of other calls */
  readonly downloads: S3Client;
  readonly calls: S3Client;
  /** signs addresses for clients, and sends nothing */
  readonly signer: S3Client;
  close(): void;
}

/** How long the store may take, in ms. */
export interface S3Patience {
  readonly connectMs: number;
  /** until the first byte of an answer */
  readonly answerMs: number;
  /** the same, for requests that write or join parts */
  readonly writeMs: number;
  /** without a byte in either direction */
  readonly silenceMs: number;
}

export const S3_PATIENCE: S3Patience = {
  connectMs: STORAGE_LIMITS.s3ConnectMs,
  answerMs: STORAGE_LIMITS.s3AnswerMs,
  writeMs: STORAGE_LIMITS.s3WriteMs,
  silenceMs: STORAGE_LIMITS.s3SilenceMs,
};

export function createS3Clients(settings: S3Settings, patience: S3Patience): S3Clients {
  const downloads = new S3Client({
    ...optionsOf(settings, settings.endpoint),
    // A slow client may leave the connection silent, so the reader of the body watches it.
    requestHandler: handler(STORAGE_LIMITS.s3DownloadsAtOnceMax, { ...patience, silenceMs: 0 }),
  });
  const calls = new S3Client({
    ...optionsOf(settings, settings.endpoint),
    requestHandler: handler(STORAGE_LIMITS.s3CallsAtOnceMax, patience),
  });
  const signer = new S3Client(optionsOf(settings, settings.publicEndpoint));
  const close = () => {
    for (const client of [downloads, calls, signer]) client.destroy();
  };
  return { downloads, calls, signer, close };
}

/** States everything that the library would otherwise read from the environment or from files of the user. */
function optionsOf(settings: S3Settings, endpoint: string): S3ClientConfig {
  const { region, pathStyle, accessKeyId, secretAccessKey } = settings;
  return {
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: pathStyle,
    maxAttempts: STORAGE_LIMITS.s3AttemptsMax,
    retryMode: 'standard',
    // Other stores do not know the checksums of AWS. The signature covers each body, and its hash.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    useAccelerateEndpoint: false,
    useArnRegion: false,
    followRegionRedirects: false,
    defaultsMode: 'standard',
    userAgentAppId: undefined,
    // It would print warnings to the console.
    logger: QUIET,
  };
}

const ignore = () => {};
const QUIET = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

function handler(connections: number, { connectMs, answerMs, silenceMs }: S3Patience) {
  const agentOptions = { keepAlive: true, maxSockets: connections, maxTotalSockets: connections };
  return {
    httpAgent: new HttpAgent(agentOptions),
    httpsAgent: new HttpsAgent(agentOptions),
    connectionTimeout: connectMs,
    requestTimeout: answerMs,
    throwOnRequestTimeout: true,
    socketTimeout: silenceMs,
    logger: QUIET,
  };
}
