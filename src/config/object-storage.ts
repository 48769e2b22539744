import { z } from 'zod';
import { PLAN_NAMES, type PlanName, type PlanStorageLimits, type S3Settings } from './config.js';

const KB = 1_024;
const MB = KB * 1_024;
const GB = MB * 1_024;
const TB = GB * 1_024;
const UNITS: Readonly<Record<string, number>> = { KB, MB, GB, TB };

/** Limits of the plans where STORAGE_LIMITS does not set others. */
const DEFAULTS: Readonly<Record<PlanName, PlanStorageLimits>> = {
  free: { storageBytes: 10 * GB, bandwidthBytes: 20 * GB, fileBytes: 500 * MB },
  pro: { storageBytes: 250 * GB, bandwidthBytes: 250 * GB, fileBytes: GB },
  scale: { storageBytes: TB, bandwidthBytes: 500 * GB, fileBytes: 5 * GB },
  enterprise: { storageBytes: null, bandwidthBytes: null, fileBytes: 5 * TB },
};

export const SHOWN_STORAGE_LIMITS = 'free=10GB/20GB/500MB,pro=250GB/250GB/1GB,scale=1TB/500GB/5GB,enterprise=-/-/5TB';

const FORM = 'must be plan=storage/bandwidth/file, each a number with KB, MB, GB or TB, or - for none';

/**
 * `plan=storage/bandwidth/file`, comma-separated. Plans that are left out keep their limits; the last entry of a plan
 * wins.
 */
export const storageLimits = z
  .string()
  .optional()
  .transform((text, ctx) => {
    const limits: Record<PlanName, PlanStorageLimits> = { ...DEFAULTS };
    for (const item of (text ?? '').split(',')) {
      if (item.trim() === '') continue;
      const [, plan = '', ...amounts] = /^([a-z]+)=([^/]+)\/([^/]+)\/([^/]+)$/.exec(item.trim()) ?? [];
      const [storageBytes, bandwidthBytes, fileBytes] = amounts.map(bytesOf);
      if (storageBytes === undefined || bandwidthBytes === undefined || fileBytes === undefined) {
        ctx.addIssue({ code: 'custom', message: FORM });
        return z.NEVER;
      }
      if (!isPlanName(plan)) {
        ctx.addIssue({ code: 'custom', message: `names an unknown plan; the plans are ${PLAN_NAMES.join(', ')}` });
        return z.NEVER;
      }
      limits[plan] = { storageBytes, bandwidthBytes, fileBytes };
    }
    return limits;
  });

/** @returns bytes; null for `-` (no limit), undefined for text that is no amount */
function bytesOf(text: string): number | null | undefined {
  if (text === '-') return null;
  const [, amount, unit = ''] = /^(\d{1,12})(KB|MB|GB|TB)$/.exec(text) ?? [];
  const bytes = Number(amount) * (UNITS[unit] ?? Number.NaN);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

function isPlanName(name: string): name is PlanName {
  return (PLAN_NAMES as readonly string[]).includes(name);
}

/** The values of the environment for the S3 service. */
export interface S3Values {
  readonly S3_ENDPOINT: string | undefined;
  readonly S3_REGION: string | undefined;
  readonly S3_BUCKET: string | undefined;
  readonly S3_ACCESS_KEY_ID: string | undefined;
  readonly S3_SECRET_ACCESS_KEY: string | undefined;
  readonly S3_FORCE_PATH_STYLE: boolean | undefined;
}

const REQUIRED = ['S3_ENDPOINT', 'S3_REGION', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

/**
 * Returns a fault when only some of the S3 variables are set. Objects are in S3 when all are set, in files when none
 * is.
 * @param faulty names that are set but already have a fault
 */
export function s3Faults(v: S3Values, faulty: ReadonlySet<string>): string[] {
  const given = [...REQUIRED, 'S3_FORCE_PATH_STYLE' as const].find((name) => v[name] !== undefined);
  const missing = REQUIRED.filter((name) => v[name] === undefined && !faulty.has(name));
  if (given === undefined || missing.length === 0) return [];
  const [first, ...others] = missing;
  const last = others.pop();
  const names = last === undefined ? first : `${[first, ...others].join(', ')} and ${last}`;
  return [`${names} ${last === undefined ? 'is' : 'are'} missing, though ${given} is set`];
}

export function s3Settings(v: S3Values): S3Settings | undefined {
  const { S3_ENDPOINT: endpoint, S3_REGION: region, S3_BUCKET: bucket } = v;
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = v;
  if (endpoint === undefined || region === undefined || bucket === undefined) return undefined;
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { endpoint, region, bucket, accessKeyId, secretAccessKey, forcePathStyle: v.S3_FORCE_PATH_STYLE ?? false };
}
