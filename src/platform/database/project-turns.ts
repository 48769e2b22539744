interface Waiting {
  readonly projectId: string;
  readonly begin: () => void;
}

/** Work of a process at a time, of one project no more than one: each may hold a connection for seconds. */
export class ProjectTurns {
  private readonly running = new Set<string>();
  private readonly waiting: Waiting[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly patienceMs: number,
    private readonly refusal: new () => Error,
  ) {}

  /** @throws the refusal when the turn does not come in time */
  async run<T>(projectId: string, work: () => Promise<T>): Promise<T> {
    if (this.mayRun(projectId)) this.running.add(projectId);
    else await this.turn(projectId);
    try {
      return await work();
    } finally {
      this.running.delete(projectId);
      this.goOn();
    }
  }

  private mayRun(projectId: string): boolean {
    return this.running.size < this.atOnce && !this.running.has(projectId);
  }

  private turn(projectId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        projectId,
        begin: () => {
          clearTimeout(patience);
          resolve();
        },
      };
      const patience = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        reject(new this.refusal());
      }, this.patienceMs);
      this.waiting.push(waiting);
    });
  }

  /** The turn passes on in one go, so that nobody who comes now is before those who wait. */
  private goOn(): void {
    const index = this.waiting.findIndex(({ projectId }) => this.mayRun(projectId));
    const [next] = index === -1 ? [] : this.waiting.splice(index, 1);
    if (next === undefined) return;
    this.running.add(next.projectId);
    next.begin();
  }
}
