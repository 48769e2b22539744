import { VARIABLES } from './variables.js';

/** The text of `.env.example`: every name, grouped, commented out with its default. */
export function renderEnvExample(): string {
  const groups = new Map<string, string[]>();
  for (const [name, { group, description, shownDefault }] of Object.entries(VARIABLES)) {
    const lines = groups.get(group) ?? [];
    lines.push(`# ${description}\n#${name}=${shownDefault}`);
    groups.set(group, lines);
  }
  const body = [...groups].map(([group, lines]) => `## ${group}\n${lines.join('\n')}\n`).join('\n');
  return `# No file is read by the service itself: put what you change into a file and export it
# (set -a; . ./.env; set +a; npm start). Generated from src/config/variables.ts by \`npm run generate\`.\n\n${body}`;
}
