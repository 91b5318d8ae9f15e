import type { OwnerRecord } from '../store/store.ts';
import { randomId } from './random-text.ts';

export function newOwner(name: string, role: OwnerRecord['role']): OwnerRecord {
  return { id: randomId(12), name, role, createdAt: new Date().toISOString() };
}
