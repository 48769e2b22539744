import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HANG_TIMEOUT_MS } from './bounds.mjs';
import { eventually } from './eventually.js';

/** A rule of `alerts.yaml`. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
}

export interface RuleGroups {
  readonly groups: readonly { readonly name: string; readonly rules: readonly AlertRule[] }[];
}

/** The address of a process of the service, and the scrape interval, which is also the time limit of a scrape. */
export interface Target {
  readonly address: string;
  readonly everySeconds: number;
}

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly metric: Labels;
  readonly value: readonly [at: number, value: string];
}

/** A running Prometheus server. */
export class Prometheus {
  private constructor(
    private readonly url: string,
    readonly stop: () => Promise<void>,
  ) {}

  /**
   * Starts the server on a free port of 127.0.0.1. It evaluates the rules every second.
   * @param path the path of the program
   */
  static async start(path: string, rules: RuleGroups, targets: readonly Target[]): Promise<Prometheus> {
    const folder = await mkdtemp(join(tmpdir(), 'oes-prometheus-'));
    const intervals = [...new Set(targets.map(({ everySeconds }) => everySeconds))];
    const configuration = {
      global: { evaluation_interval: '1s' },
      rule_files: ['rules.yaml'],
      scrape_configs: intervals.map((seconds) => ({
        job_name: `every-${seconds}s`,
        scrape_interval: `${seconds}s`,
        scrape_timeout: `${seconds}s`,
        static_configs: [
          {
            targets: targets.filter((one) => one.everySeconds === seconds).map(({ address }) => address),
            labels: { job: 'operational-event-service' },
          },
        ],
      })),
    };
    // JSON is YAML.
    await writeFile(join(folder, 'prometheus.yaml'), JSON.stringify(configuration));
    await writeFile(join(folder, 'rules.yaml'), JSON.stringify(rules));
    const child = spawn(
      path,
      [
        `--config.file=${join(folder, 'prometheus.yaml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        '--web.listen-address=127.0.0.1:0',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const ended = once(child, 'close');
    const stop = async (): Promise<void> => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    };
    let log = '';
    const address = new Promise<string>((resolve) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        const [, listening] = /msg="Listening on" address=(\S+)/.exec(log) ?? [];
        if (listening !== undefined) resolve(listening);
      });
    });
    const late = delay(HANG_TIMEOUT_MS, undefined, { ref: false });
    const found = await Promise.race([address, ended.then(() => undefined), late]);
    try {
      if (found === undefined) throw new Error(`Prometheus does not listen:\n${log.slice(-3_000)}`);
      const url = `http://${found}`;
      // It answers 503 from when it listens until it has read its data.
      await eventually(
        async () => (await fetch(`${url}/-/ready`)).status,
        (status) => status === 200,
      );
      return new Prometheus(url, stop);
    } catch (error) {
      await stop();
      throw error;
    }
  }

  /** Evaluates an expression now. */
  async query(expression: string): Promise<readonly Sample[]> {
    const answer = await fetch(`${this.url}/api/v1/query?${new URLSearchParams({ query: expression }).toString()}`);
    const body = (await answer.json()) as { data?: { result: Sample[] }; error?: string };
    if (body.data === undefined) throw new Error(`${expression}: ${body.error}`);
    return body.data.result;
  }

  /** Returns the names of the rules that the server cannot evaluate, with the error. */
  async brokenRules(): Promise<string[]> {
    const answer = await fetch(`${this.url}/api/v1/rules`);
    const { data } = (await answer.json()) as {
      data: { groups: { rules: { name: string; health: string; lastError?: string }[] }[] };
    };
    return data.groups
      .flatMap(({ rules }) => rules)
      .filter(({ health }) => health === 'err')
      .map(({ name, lastError }) => `${name}: ${lastError}`);
  }

  /** Returns the labels of the alerts of a rule that fire now. */
  async firing(alert: string): Promise<Labels[]> {
    return (await this.query(`ALERTS{alertstate="firing", alertname="${alert}"}`)).map(({ metric }) => metric);
  }

  /** Returns the labels of the alerts that fired at some time in the last seconds. */
  async fired(seconds: number): Promise<Labels[]> {
    return (await this.query(`count_over_time(ALERTS{alertstate="firing"}[${seconds}s])`)).map(({ metric }) => metric);
  }
}
