import type { LogFormat } from '../../http/log-lines.ts';
import { ConfigError } from '../config-error.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** @throws ConfigError */
export function logLevelOf(text: string): string {
  if (LOG_LEVELS.includes(text)) return text;
  throw new ConfigError(`the log level must be one of ${LOG_LEVELS.join(', ')}, not ${text}`);
}

/** @throws ConfigError */
export function logFormatOf(text: string): LogFormat {
  if (text === 'auto') return process.stderr.isTTY ? 'text' : 'json';
  if (text === 'text' || text === 'json') return text;
  throw new ConfigError(`the log format must be auto, text or json, not ${text}`);
}
