//! What holds for the house as a whole: its layers, what is generated, and what fuzzing begins with.

mod architecture;
mod drift;
mod seeds;
