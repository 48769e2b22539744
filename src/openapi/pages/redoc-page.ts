import { HEAD } from './head.js';

/**
 * Redoc's logo is an image of another origin, which the page may not load. It is replaced by a file of this service.
 */
const MARK_ELSEWHERE = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const MARK_HERE = '/docs/icon.svg';

/** @param version version of Redoc, which is part of the address of its file */
export function redocPage(version: string): string {
  return `<!doctype html>
<html lang="en">
<head>
${HEAD}
<style>body { margin: 0; }</style>
</head>
<body>
<redoc spec-url="/openapi.client.json" sort-tags-alphabetically="false" native-scrollbars="true"></redoc>
<script src="/redoc/redoc.standalone.js?v=${version}"></script>
</body>
</html>
`;
}

/** Replaces the only address of another origin in the script. */
export function redocScript(script: Buffer): Buffer {
  return Buffer.from(script.toString('utf8').replaceAll(MARK_ELSEWHERE, MARK_HERE));
}
