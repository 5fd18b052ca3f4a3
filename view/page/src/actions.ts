// What keys, buttons and the menu of a method do.
import { BooleanFlag, FrameFlag } from './filter'

export interface Actions {
  search(): void
  flags(): void                              // moves the focus to the field of flags
  page(name: string): void
  flag(name: FrameFlag): void
  around(name: 'callers' | 'callees'): void  // of the selected method
  toggle(name: BooleanFlag): void
  group(): void
  hit(step: number): void
  up(): void
  out(): void
  clear(): void
  reset(): void
  copy(): void
  zoom(factor: number, shift: number): void
  bound(flag: 'from' | 'to'): void           // at the cursor of the timeline
  pause(): void                              // of a running process
  help(): void
  compare(): void                            // asks for an older trace
  export(): void                             // moves the focus to the formats
}

export type Action = (a: Actions) => void
