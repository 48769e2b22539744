import { HEAD } from './head.js';

/** Redoc's mark is an image of another origin, which the page may not load: it has its own file instead. */
const MARK_ELSEWHERE = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const MARK_HERE = '/docs/icon.svg';

/** @param version of Redoc, in the address of its file */
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

/** The script without its one address elsewhere. */
export function redocScript(script: Buffer): Buffer {
  return Buffer.from(script.toString('utf8').replaceAll(MARK_ELSEWHERE, MARK_HERE));
}
