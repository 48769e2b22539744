interface Place {
  readonly organization: string;
  readonly project: string;
}

/** The item of the browser's storage that has the id of the dashboard at which a project begins, as JSON. */
export function homeKey({ organization, project }: Place): string {
  return `console-home-${organization}/${project}`;
}

/** Returns the id of the dashboard that this browser shows as the home of a project. Undefined: the overview. */
export function homeOf(place: Place): string | undefined {
  try {
    const id: unknown = JSON.parse(localStorage.getItem(homeKey(place)) ?? 'null');
    return typeof id === 'string' && id !== '' ? id : undefined;
  } catch {
    return undefined;
  }
}
