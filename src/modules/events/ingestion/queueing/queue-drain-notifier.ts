import { Injectable } from '@nestjs/common';

/** Tells whenever this process has stored all that it found in the queue of accepted requests, also when that was nothing. */
@Injectable()
export class QueueDrainNotifier {
  private readonly listeners: (() => void)[] = [];

  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  tell(): void {
    for (const listener of this.listeners) listener();
  }
}
