export { type AccountAct, AccountActs } from './account-acts.js';
export { CHANGE_PROOF, ChangeProof, FactorProofRequest, type ProvenChange } from './change-proof.js';
export { MfaChallengeResponse, SignedInResponse } from './challenges/challenges.dto.js';
export { type OfferedFactors, SignInGate } from './challenges/sign-in-gate.js';
export { NEW_TRUSTED_DEVICE_HEADER, TrustedDeviceHeader } from './challenges/trusted-device-header.js';
export { FactorInventory, type Factors } from './factor-inventory.js';
export { InvalidAuthenticationCode, SecondFactorRequired } from './second-factors.errors.js';
export { SecondFactorsModule } from './second-factors.module.js';
export { TrustedDeviceHeaders } from './trusted-devices/trusted-devices.dto.js';
