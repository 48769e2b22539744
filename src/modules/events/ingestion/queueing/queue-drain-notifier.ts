import { Injectable } from '@nestjs/common';

/**
 * Notifies listeners each time this process has stored everything that it found in the queue of accepted requests, even
 * when the queue was empty.
 */
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
