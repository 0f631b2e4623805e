import { type FaultPoint, isFaultPoint } from '../../base/core/faults.ts';
import { ConfigError } from '../config-error.ts';

/** Where a test of crash safety ends the process, and at which pass. */
export interface Fault {
  readonly point: FaultPoint;
  readonly pass: number;
}

/** Parses `POINT` or `POINT:PASS`: the fault point that ends the process, and at which pass. */
export function faultOf(text: string | undefined): Fault | null {
  if (text === undefined || text === '') return null;
  const [point = '', pass = '1'] = text.split(':', 2);
  if (!isFaultPoint(point))
    throw new ConfigError(`unknown fault point ${point}: src/base/core/faults.ts lists all of them`);
  return { point, pass: Number(pass) };
}
