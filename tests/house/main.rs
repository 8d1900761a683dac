//! What holds for the house as a whole: its layers, and what is generated.

mod architecture;
mod drift;
