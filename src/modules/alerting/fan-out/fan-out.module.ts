import { Module } from '@nestjs/common';
import { DeliveryModule } from '../../delivery/deliveries/index.js';
import { AlertDestinationsModule } from '../destinations/index.js';
import { FanOutService } from './fan-out.service.js';

@Module({
  imports: [AlertDestinationsModule, DeliveryModule],
  providers: [FanOutService],
  exports: [FanOutService],
})
export class FanOutModule {}
